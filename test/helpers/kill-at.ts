import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Home } from './program.js';

/**
 * A module to load before the program: kills the process before or after the nth line with an event of this type
 * goes to the journal. Everything written by then is on disk, and nothing after it happens.
 */
export function killAt(
  home: Home,
  place: 'before' | 'after',
  type: string,
  nth: number,
): Record<string, string> {
  const file = join(home.path, 'kill.mjs');
  writeFileSync(
    file,
    `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const write = fs.writeSync;
let left = ${nth};
fs.writeSync = (fd, bytes, ...more) => {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
  if (!text.startsWith('{"v":2,')) return write(fd, bytes, ...more);
  left -= text.split('"event":{"type":"${type}"').length - 1;
  if (left > 0) return write(fd, bytes, ...more);
  if ('${place}' === 'after') write(fd, bytes, ...more);
  process.kill(process.pid, 'SIGKILL');
  for (;;);
};
syncBuiltinESMExports();
`,
  );
  return { NODE_OPTIONS: `--import=${file}` };
}
