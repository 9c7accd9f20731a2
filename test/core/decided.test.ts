import { describe, expect, test } from 'vitest';

import type { InterruptDraft, JsonObject, JsonValue, Resolution } from '../../src/core/index.js';
import { changeMark, aboutEdited, decidedWords, toolRef } from '../../src/core/index.js';
import { interruptOf } from '../human/open-interrupt.js';

function call(name: string, input: JsonObject, title?: string) {
  const draft: InterruptDraft = {
    kind: 'confirmation',
    source: {
      type: 'tool',
      ref: toolRef('c1'),
      name,
      input,
      raisedBy: 'approval',
      ...(title !== undefined && { title }),
    },
    payload: { facts: { path: '/shop/cart.js' } },
  };
  return interruptOf(draft, 'i1');
}

const command = call('run_command', { command: 'rm -rf build', cwd: '.' });
const words = call('run_command', { argv: ['rm', '-rf', 'a b'] });
const edit = call('edit_file', { path: 'src/cart.js', oldText: 'a\nb', newText: 'a\nc' });
const transfer = call('transfer', { to: 'ABC123', amount: 200 }, 'Transfer 200 to ABC123');

const restart = (input: JsonValue, more: object = {}): Resolution => ({ action: 'restart', input, ...more });
const diff = '--- a/src/cart.js\n+++ b/src/cart.js\n@@ -1,2 +1,1 @@\n a\n-b\n';

describe('the words for a decision about an edited call', () => {
  test.for([
    [
      'a command is named as it runs, with the one before it',
      command,
      restart({ command: 'rm -rf build/tmp', cwd: '.' }),
      'Run `rm -rf build/tmp`',
      '(changed from `rm -rf build`)',
    ],
    [
      'what lies beside the command is told too',
      command,
      restart({ command: 'rm -rf build/tmp', cwd: 'src' }),
      'Run `rm -rf build/tmp`',
      '(changed from `rm -rf build`, with your change: cwd . → src)',
    ],
    [
      'a command with its words one by one is a command',
      words,
      restart({ command: 'rm -rf a' }),
      'Run `rm -rf a`',
      "(changed from `rm -rf 'a b'`)",
    ],
    [
      'a long text is not told, and the change is that of the edit',
      edit,
      restart(
        { path: 'src/cart.js', oldText: 'a\nb', newText: 'a' },
        { shown: { input: { path: 'src/cart.js', oldText: 'a\nb', newText: 'a' }, request: { diff } } },
      ),
      'Edit src/cart.js  +0 −1',
      '(with your change)',
    ],
    [
      'the tool names the call as it runs',
      transfer,
      restart(
        { to: 'ABC123', amount: 150 },
        { shown: { input: { to: 'ABC123', amount: 150 }, title: 'Transfer 150 to ABC123' } },
      ),
      'Transfer 150 to ABC123',
      '(with your change: amount 200 → 150)',
    ],
    [
      'a title before the edit is not told of the call after it',
      transfer,
      restart({ to: 'ABC123', amount: 150 }),
      'transfer  ABC123, 150',
      '(with your change: amount 200 → 150)',
    ],
    [
      'words for the model stand last',
      command,
      restart({ command: 'ls', cwd: '.' }, { note: 'and tell me\nwhat is there' }),
      'Run `ls`',
      '(changed from `rm -rf build`) “and tell me\\nwhat is there”',
    ],
  ] as const)('%s', ([, interrupt, resolution, what, given]) => {
    expect(decidedWords(interrupt, resolution, 'you ')).toEqual({ verb: 'approved', what, given });
  });

  test('are safe, and short', () => {
    const hostile = restart({ command: `echo \u001b[2J${'x'.repeat(300)}`, cwd: '\u202e/etc' });
    const { what, given } = decidedWords(command, hostile);
    expect(what).toMatch(/^Run `echo \\u\{1B\}\[2Jx{10,40}…`$/u);
    expect(given).toBe('(changed: cwd . → \\u{202E}/etc)');
  });

  test('of a yes with words and nothing else', () => {
    const resolution: Resolution = { action: 'restart', note: 'use the CI settings' };
    expect(decidedWords(command, resolution)).toEqual({
      verb: 'approved',
      what: 'Run `rm -rf build`',
      given: '“use the CI settings”',
    });
  });
});

describe('the mark of a question about an edited call', () => {
  const mark = (interrupt: ReturnType<typeof call>, input: JsonValue, who: string) =>
    changeMark(interrupt, aboutEdited(interrupt, input), who);

  test.for([
    [command, { command: 'ls', cwd: '.' }, 'you', 'you changed `rm -rf build`'],
    [transfer, { to: 'ABC123', amount: 150 }, 'ann', 'ann changed amount 200 → 150'],
    [edit, { path: 'src/cart.js', oldText: 'a\nb', newText: 'x\ny' }, 'you', 'with your change'],
    [edit, { path: 'src/cart.js', oldText: 'a\nb', newText: 'x\ny' }, 'ann', 'with ann’s change'],
  ] as const)('%#', ([interrupt, input, who, words]) => {
    expect(mark(interrupt, input, who)).toBe(words);
  });
});

describe('a question about an edited call', () => {
  test('says nothing that its tool or body said of the call before', () => {
    const { source, payload } = aboutEdited(transfer, { to: 'ABC123', amount: 150 });
    expect({ source, payload }).toEqual({
      source: {
        type: 'tool',
        ref: 'c1',
        name: 'transfer',
        input: { to: 'ABC123', amount: 150 },
        raisedBy: 'approval',
      },
      payload: {},
    });
    const body = { ...transfer, source: { ...transfer.source, raisedBy: 'tool' as const } };
    const asked = { ...body, payload: { amount: 200, balance: 1000 } };
    expect(aboutEdited(asked as typeof transfer, { to: 'ABC123', amount: 150 }).payload).toEqual({
      balance: 1000,
    });
  });
});
