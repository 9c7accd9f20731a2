import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Home, Ran } from './program.js';
import { PROGRAM, ranBy } from './program.js';

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** The examples that are workflows, in TypeScript and as a file. */
export function workflows(): readonly string[] {
  return readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(EXAMPLES, entry.name, 'flow.yaml')))
    .map(({ name }) => name)
    .sort();
}

/** What the script of an example prints. */
export function printedBy(example: string): string {
  return readFileSync(join(EXAMPLES, example, 'run.sh.out'), 'utf8');
}

/** Plays an example with its script; what it writes is in the home. */
export function play(home: Home, example: string, flow: string): Promise<Ran> {
  const bin = join(home.path, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'hitl'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(join(bin, 'hitl'), 0o755);
  return ranBy(
    spawn('bash', [join(EXAMPLES, example, 'run.sh'), flow], {
      cwd: home.path,
      env: { ...home.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}
