import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A home of nobody, with a folder to work in: nothing of whoever measures is read, and no key is found. */
export function temporaryHome(files) {
  const home = mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-'));
  const folder = path.join(home, 'work');
  mkdirSync(folder);
  for (const [name, value] of Object.entries(files))
    writeFileSync(path.join(home, name), JSON.stringify(value));
  const { PATH } = process.env;
  const env = { PATH, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', TMPDIR: path.join(home, 'tmp') };
  mkdirSync(env.TMPDIR);
  return { cwd: folder, env, remove: () => rmSync(home, { recursive: true, maxRetries: 5 }) };
}
