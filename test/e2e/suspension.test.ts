import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

/** A tool without effect that works until it is told to stop, and returns at once where a mark is there already. */
function slowTool(mark: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
const mark = ${JSON.stringify(mark)};
export const slow = { name: 'slow', description: 's', input: { type: 'object' }, effect: 'none',
  execute: (input, { signal }) => {
    if (existsSync(mark)) return 'ok';
    writeFileSync(mark, '');
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  } };
`;
}

test.for([
  ['SIGTERM', 143],
  ['SIGHUP', 129], // raised again where the terminal is gone, as a shell expects: the same to whoever waits
] as const)('a turn that %s stopped goes on with the next resume', async ([signal, status]) => {
  using home = new Home();
  const mark = join(home.path, 'mark');
  writeFileSync(join(home.path, 'slow.mjs'), slowTool(mark));
  writeFileSync(
    join(home.path, 'script.jsonl'),
    '{"tools":[{"name":"slow","input":{}}]}\n{"text":"The report."}\n',
  );
  const args = [PROGRAM, 'chat', '-m', 'script:script.jsonl', '-t', './slow.mjs', '-p', 'go', '--json'];
  const child = spawn(process.execPath, args, { cwd: home.path, env: home.env });
  const said: string[] = [];
  const told: string[] = [];
  child.stdout.on('data', (chunk) => void said.push(String(chunk)));
  child.stderr.on('data', (chunk) => void told.push(String(chunk)));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code, by) => {
      resolve(by === null ? code : 128 + constants.signals[by]);
    });
  });
  while (!existsSync(mark)) await sleep(20);
  child.kill(signal);
  expect(await ended).toBe(status);
  expect(JSON.parse(said.join(''))).toMatchObject({ status: 'interrupted', interrupts: [] });
  expect(told.join('')).toContain(`hint: hitl resume ${home.id}\n`);

  expect(await home.run(['resume', '--last', '--trust'], { cwd: home.path })).toMatchObject({
    status: 0,
    stdout: 'The report.\n',
  });
});
