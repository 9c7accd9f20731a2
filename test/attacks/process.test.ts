import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { expect, test, vi } from 'vitest';

const PROCESS = fileURLToPath(new URL('./process.ts', import.meta.url));

/** One that has ended and that nobody took note of is a zombie, and runs no more. */
function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

test('A program that a row began ends with the attacks, also where these are stopped by a signal.', async () => {
  const source = `import { Process } from ${JSON.stringify(PROCESS)};
const begun = new Process(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { cwd: '.', env: {} });
process.stdout.write(String(begun.pid));`;
  const attacks = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source]);
  const [pid] = (await once(attacks.stdout, 'data')) as [Buffer];
  expect(isAlive(Number(pid))).toBe(true);
  attacks.kill('SIGTERM');
  expect(await once(attacks, 'exit')).toEqual([143, null]);
  await vi.waitFor(() => {
    expect(isAlive(Number(pid))).toBe(false);
  });
});
