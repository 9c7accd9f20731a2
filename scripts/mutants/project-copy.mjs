import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A copy of what is tracked, as it is in the working folder or, with `ofHead`, in the last commit. It is removed when
 * this process ends.
 */
export function projectCopy(root, ofHead) {
  const copy = mkdtempSync(path.join(tmpdir(), 'hitl-mutants-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  if (ofHead) copyHead(root, copy);
  else copyFolder(root, copy);
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

function copyHead(root, copy) {
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', copy], { input: archive });
}

function copyFolder(root, copy) {
  const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const present = names
    .trim()
    .split('\n')
    .filter((name) => existsSync(path.join(root, name)));
  for (const name of present) {
    mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
    cpSync(path.join(root, name), path.join(copy, name));
  }
}
