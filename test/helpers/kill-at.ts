import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Home } from './program.js';

/** On which side of a write to the journal a process dies. */
export type Side = 'before' | 'after';

/** Kills the process before or after the nth line with an event of this type goes to the journal. */
export function killAt(home: Home, side: Side, type: string, nth: number): Record<string, string> {
  const lines = `text.split('"event":{"type":"${type}"').length - 1`;
  return killedWhere(home, side, `(seen += ${lines}) >= ${nth}`);
}

/** Kills the process before or after the record of this number goes to the journal. */
export function killAtRecord(home: Home, side: Side, seq: number): Record<string, string> {
  return killedWhere(home, side, `text.includes('{"v":2,"seq":${seq},')`);
}

/**
 * A module to load before the program, that kills the process at the first write to the journal where a condition on
 * its `text` holds. Everything written by then is on disk, and nothing after it happens.
 */
function killedWhere(home: Home, side: Side, condition: string): Record<string, string> {
  const file = join(home.path, 'kill.mjs');
  writeFileSync(
    file,
    `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const write = fs.writeSync;
let seen = 0;
fs.writeSync = (fd, bytes, ...more) => {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
  if (!text.startsWith('{"v":2,') || !(${condition})) return write(fd, bytes, ...more);
  if ('${side}' === 'after') write(fd, bytes, ...more);
  process.kill(process.pid, 'SIGKILL');
  for (;;);
};
syncBuiltinESMExports();
`,
  );
  return { NODE_OPTIONS: `--import=${file}` };
}
