import { describe, expect, test } from 'vitest';

import type { Interrupt } from '../../src/core/index.js';
import { createLinePerson } from '../../src/human/lines/line-person.js';
import type { Line } from '../../src/human/script/line-source.js';
import { fakeClock } from '../../src/testing/index.js';
import { bankState, openInterrupt } from './terminal-harness.js';

const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;
const never = new AbortController().signal;

/** A person who types these lines, each once it is asked for. */
function typing(...texts: readonly string[]) {
  const clock = fakeClock();
  const lines = [...texts];
  let written = '';
  /** A line is typed when the words before it have been read. */
  const next = (signal: AbortSignal): Promise<Line | undefined> => {
    if (!written.endsWith(': '))
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('quiet'));
        });
      });
    const text = lines.shift();
    return Promise.resolve(text === undefined ? undefined : { number: 1, text });
  };
  const person = createLinePerson({
    lines: { next, arrived: () => [], close: () => undefined },
    write: (text) => {
      written += text;
    },
    clock,
    actor,
    echo: () => true,
  });
  return {
    person,
    written: () => written,
    async ask(open: readonly Interrupt[]) {
      const asked = person.channel.ask(open, bankState(), never);
      for (let round = 0; round < 20; round += 1) await clock.advance(400);
      return asked;
    },
  };
}

describe('several confirmations in lines', () => {
  const [one, two] = [openInterrupt(1), openInterrupt(2, { payload: { reason: 'the second' } })];

  test('are written whole, and `Y` approves each with its own digest', async () => {
    const { ask, written } = typing('y', 'Y');
    const first = await ask([one, two]);
    expect(await ask([two])).toEqual({
      type: 'answered',
      answer: { id: two.id, digest: two.digest, resolution: { action: 'restart' }, by: actor },
    });
    expect(first).toMatchObject({ answer: { digest: one.digest, resolution: { action: 'restart' } } });
    expect(written()).toBe(
      [
        '2 calls are waiting',
        '[i1] transferMoney (1 of 2), module ./bank.js',
        '  | toAccount: ABC123',
        '  | amount:    200',
        '  Reason: the amount is over 100',
        '[i2] transferMoney (2 of 2), module ./bank.js',
        '  | toAccount: ABC123',
        '  | amount:    200',
        '  Reason: the second',
        'Answer with one of:',
        '  Y: approve both',
        '  N [reason]: reject both',
        '  1-2: one at a time',
        'Your answer: Enter Y, N or a number from 1 to 2.',
        'Your answer: you approved  transferMoney  ABC123, 200',
        'you approved  transferMoney  ABC123, 200',
        '',
      ].join('\n'),
    );
  });

  test('`N` rejects each, with its reason', async () => {
    const { ask } = typing('N not now');
    const resolution = { action: 'reject', reason: 'not now' };
    expect(await ask([one, two])).toMatchObject({ answer: { id: 'i1', resolution } });
    expect(await ask([two])).toMatchObject({ answer: { id: 'i2', resolution } });
  });

  test('`Y` leaves what something warns of, and says so', async () => {
    const source = { ...one.source, input: { toAccount: 'AB\u200bC', amount: 200 } } as never;
    const warned = openInterrupt(3, { source });
    const { ask, written } = typing('Y', 'n');
    expect(await ask([warned, one, two])).toMatchObject({ answer: { id: 'i1' } });
    expect(await ask([warned, two])).toMatchObject({ answer: { id: 'i2' } });
    expect(await ask([warned])).toMatchObject({ answer: { id: 'i3', resolution: { action: 'reject' } } });
    expect(written()).toMatch(
      /^3 calls are waiting\nY leaves 1 call with a warning, to be answered separately.\n/u,
    );
    expect(written()).toContain('Answer with one of:\n  Y: approve 2 of 3\n');
  });

  test('a number asks one by itself, and what was given for all is forgotten with the run', async () => {
    const { ask, person } = typing('2', 'n', 'Y', 'c');
    expect(await ask([one, two])).toMatchObject({ answer: { id: 'i2', resolution: { action: 'reject' } } });
    await ask([one, two]);
    person.forget();
    expect(await ask([two])).toMatchObject({ answer: { id: 'i2', resolution: { action: 'cancel' } } });
  });
});
