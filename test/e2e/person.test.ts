// `hitl/terminal`: the program's question in somebody else's program.
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { personAtTerminal } from '../../src/library/terminal.js';
import { compiled } from '../helpers/compiled.js';
import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';

const PERSON = compiled(fileURLToPath(new URL('person-program.ts', import.meta.url)));

test('a library program asks a person at the terminal, one question after the other', async () => {
  using home = new Home();
  using terminal = new Terminal(home, [], {}, [PERSON]);
  await terminal.until('2 calls');
  await terminal.press('1');
  await terminal.until('y approve');
  await terminal.press('y');
  await terminal.until('70');
  await terminal.press('y');
  await terminal.until('RESULT');
  expect(await terminal.ended).toBe(0);
  const ann = '{"type":"person","name":"ann","via":"terminal"}';
  expect(terminal.output.replaceAll('\r\n', '\n')).toContain(
    `RESULT [[${ann},${ann}],["paid {\\"amount\\":5}","paid {\\"amount\\":70}"]]\n`,
  );
});

test('a library program without a terminal is told how else to answer', () => {
  const input = Object.assign(Object.create(process.stdin) as typeof process.stdin, { isTTY: false });
  expect(() => personAtTerminal({ input })).toThrow('no terminal available');
});
