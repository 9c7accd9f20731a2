import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { Home, lines, PROGRAM } from '../helpers/program.js';

const ASK = 'Transfer 200 to ABC123';
const ONCE = [{ toAccount: 'ABC123', amount: 200 }];

/** Runs the program with one of its outputs on a device that is full. */
async function full(home: Home, which: 'stdout' | 'stderr', args: readonly string[], input = '') {
  const device = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: home.env,
    stdio: ['pipe', which === 'stdout' ? device : 'pipe', which === 'stderr' ? device : 'pipe'],
  });
  const said: string[] = [];
  (which === 'stdout' ? child.stderr : child.stdout)?.on('data', (chunk) => void said.push(String(chunk)));
  child.stdin?.end(input);
  const status = await new Promise<unknown>((resolve) => {
    child.on('close', (code) => {
      resolve(code);
    });
  });
  closeSync(device);
  return { status, said: said.join('') };
}

const LOST = `error: could not write the output: ENOSPC: no space left on device, write
hint: progress is saved (see \`hitl list\`); write the output somewhere else
`;

describe.skipIf(!existsSync('/dev/full'))('G6 an output that cannot be written', () => {
  test('ends every command with status 6 and two lines, and a chat does its work to the end', async () => {
    using home = new Home();
    const chat = await full(home, 'stdout', ['chat'], lines(ASK, 'y'));
    expect({ ...chat, said: chat.said.slice(-LOST.length) }).toEqual({ status: 6, said: LOST });
    expect(home.transfers()).toEqual(ONCE);
    for (const args of [['list'], ['list', '--json'], ['export', home.id], ['--help'], ['help', 'list']])
      expect([args, await full(home, 'stdout', args)]).toEqual([args, { status: 6, said: LOST }]);
  });

  test('of the conversation, on stderr, stops no turn: what is asked for is on stdout', async () => {
    using home = new Home();
    expect(await full(home, 'stderr', ['chat'], lines(ASK, 'y'))).toEqual({
      status: 0,
      said: 'Transferred 200 to ABC123. The balance is now 800.\n',
    });
    expect(home.transfers()).toEqual(ONCE);
  });
});
