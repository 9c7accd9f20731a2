import { describe, expect, test } from 'vitest';

import type { KeyQuestion } from '../../src/human/prompt/key-prompt.js';
import { askKey } from '../../src/human/prompt/key-prompt.js';
import type { Prompter } from '../../src/human/prompt/prompter.js';
import { KEYS, testTerminal } from './terminal-harness.js';

const never = new AbortController().signal;
const question = {
  message: 'Approve this call?',
  choices: [
    { key: 'y', label: 'approve', value: 'yes' },
    { key: 'n', label: 'reject', value: 'no' },
    { key: 'A', label: 'always', value: 'always', disabled: 'not yet' },
  ],
};

function asking(
  terminal = testTerminal(),
  signal = never,
  leaves: string[] = [],
  asks: KeyQuestion<string> = question,
) {
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  const asked = terminal.device.use((held) => {
    const leave = (why: string) => {
      leaves.push(why);
      leaving.abort(new Error(why));
    };
    const prompter: Prompter = { terminal: held, clock: terminal.clock, theme: terminal.theme, leave };
    return askKey(prompter, asks);
  }, either);
  return { terminal, asked };
}

/** Whether the prompt has been answered by now. */
async function isOpen(asked: Promise<unknown>, terminal: ReturnType<typeof testTerminal>): Promise<boolean> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  asked.then(over, over);
  await terminal.clock.advance(100);
  await terminal.settle();
  return !isOver;
}

describe('the key prompt as it is drawn', () => {
  test('shows its keys and takes one of them', async () => {
    const { terminal, asked } = asking();
    await terminal.settle();
    expect(await terminal.screen()).toBe('y approve · n reject · A always\nApprove this call?');
    await terminal.press('n');
    expect(await asked).toEqual({ type: 'answered', value: 'no' });
  });

  test('G30: Enter alone never approves, and says what to press', async () => {
    const { terminal, asked } = asking();
    await terminal.press(KEYS.enter, KEYS.enter);
    expect(await terminal.screen()).toBe(
      'y approve · n reject · A always\nPress y, n or A\nApprove this call?',
    );
    await terminal.press('y');
    expect(await asked).toEqual({ type: 'answered', value: 'yes' });
  });

  test('a key that does not work now says why', async () => {
    const { terminal, asked } = asking();
    await terminal.press('A');
    expect(await terminal.screen()).toContain('not yet');
    await terminal.press('y');
    expect(await asked).toEqual({ type: 'answered', value: 'yes' });
  });

  test('breaks its row between choices only', async () => {
    const { terminal, asked } = asking(testTerminal({ columns: 24, rows: 10 }));
    await terminal.settle();
    expect(await terminal.screen()).toBe('y approve · n reject\nA always\nApprove this call?');
    await terminal.press('y');
    await asked;
  });
});

describe('G30: a key prompt at a terminal', () => {
  test.for([0, 10, 30, 60, 120, 250])('is not decided by a key %i ms after drawing', async (ms) => {
    const { terminal, asked } = asking();
    await terminal.settle();
    await terminal.clock.advance(ms);
    await terminal.send('y');
    expect(await isOpen(asked, terminal)).toBe(true);
    expect(await terminal.screen()).toContain('Ignored: too soon. Pause, then press a key.');
    await terminal.press('n');
    expect(await asked).toEqual({ type: 'answered', value: 'no' });
  });

  test('is decided by a key after 300 ms', async () => {
    const { terminal, asked } = asking();
    await terminal.settle();
    await terminal.clock.advance(310);
    await terminal.send('y');
    await terminal.clock.advance(40);
    expect(await asked).toEqual({ type: 'answered', value: 'yes' });
    expect(await terminal.screen()).toBe('');
  });

  test('is not decided by a paste, with or without its marks', async () => {
    const { terminal, asked } = asking();
    await terminal.arm();
    await terminal.paste('y');
    expect(await terminal.screen()).toContain('Ignored: pasted text. Press one key.');
    await terminal.arm();
    await terminal.send('yes\r');
    expect(await terminal.screen()).toContain('Ignored: several keys at once. Press one key.');
    await terminal.arm();
    // The same paste, cut by the line: the rest follows within a few milliseconds.
    await terminal.send('y');
    await terminal.clock.advance(10);
    await terminal.send('es');
    expect(await isOpen(asked, terminal)).toBe(true);
    await terminal.arm();
    await terminal.send('y');
    await terminal.clock.advance(10);
    await terminal.send('n');
    expect(await isOpen(asked, terminal)).toBe(true);
    await terminal.press('n');
    expect(await asked).toEqual({ type: 'answered', value: 'no' });
  });

  test('T13: is not decided by what a terminal says by itself', async () => {
    const { terminal, asked } = asking();
    await terminal.arm();
    for (const report of ['\u001b[?1;2c', '\u001b]52;c;eXl5\u0007', '\u001b[yR', '\u001bP>|y\u001b\\']) {
      await terminal.send(report);
      await terminal.clock.advance(1100);
    }
    expect(await isOpen(asked, terminal)).toBe(true);
    await terminal.press('y');
    expect(await asked).toEqual({ type: 'answered', value: 'yes' });
  });

  test('is not decided by Enter, Space or a held key that is none of its own', async () => {
    const { terminal, asked } = asking();
    await terminal.press(KEYS.enter, ' ', 'x', 'Y', 'a', KEYS.up);
    expect(await isOpen(asked, terminal)).toBe(true);
    await terminal.press('y');
    await asked;
  });

  test('is not decided by a key that comes at once with one that only scrolls', async () => {
    const { terminal, asked } = asking(undefined, never, [], { ...question, scroll: () => true });
    await terminal.arm();
    for (const character of '  y') {
      await terminal.send(character);
      await terminal.clock.advance(10);
    }
    expect(await isOpen(asked, terminal)).toBe(true);
    await terminal.press('y');
    await asked;
  });

  test('is not decided by a letter of a word that somebody types at it', async () => {
    const { terminal, asked } = asking();
    await terminal.arm();
    await terminal.type('is it my key');
    expect(await isOpen(asked, terminal)).toBe(true);
    await terminal.press('y');
    await asked;
  });

  test('is not decided by a report of which the end comes late', async () => {
    const { terminal, asked } = asking();
    await terminal.arm();
    await terminal.send('\u001b[?2026;2$');
    await terminal.clock.advance(400);
    await terminal.send('y');
    expect(await isOpen(asked, terminal)).toBe(true);
    await terminal.press('y');
    await asked;
  });

  test('Esc goes back at once', async () => {
    const { terminal, asked } = asking();
    await terminal.send(KEYS.escape);
    await terminal.clock.advance(60);
    expect(await asked).toEqual({ type: 'back' });
  });

  test.for([
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', KEYS.ctrlD],
  ] as const)('%s leaves at once', async ([why, key]) => {
    const leaves: string[] = [];
    const { terminal, asked } = asking(undefined, never, leaves);
    const left = expect(asked).rejects.toThrow(why);
    await terminal.send(key);
    await left;
    expect([leaves, terminal.isRaw()]).toEqual([[why], false]);
  });

  test('is withdrawn with the reason of the signal', async () => {
    const controller = new AbortController();
    const { terminal, asked } = asking(undefined, controller.signal);
    await terminal.settle();
    controller.abort(new Error('answered elsewhere'));
    await expect(asked).rejects.toThrow('answered elsewhere');
    expect([await terminal.screen(), terminal.isRaw()]).toEqual(['', false]);
  });

  test('G28: after Ctrl-Z it is drawn again, and deaf again', async () => {
    const { terminal, asked } = asking();
    await terminal.arm();
    await terminal.send(KEYS.ctrlZ);
    await terminal.send('y');
    expect(await isOpen(asked, terminal)).toBe(true);
    expect((await terminal.screen()).match(/y approve · n reject/g)).toHaveLength(2);
    await terminal.press('y');
    await asked;
  });

  test('a narrower screen draws it once, broken anew', async () => {
    const { terminal, asked } = asking(testTerminal({ columns: 80, rows: 20 }));
    await terminal.settle();
    await terminal.resize(24, 20);
    expect(await terminal.screen()).toBe('y approve · n reject\nA always\nApprove this call?');
    await terminal.resize(60, 20);
    expect(await terminal.screen()).toBe('y approve · n reject · A always\nApprove this call?');
    await terminal.press('y');
    await asked;
  });
});
