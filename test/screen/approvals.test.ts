// Whatever is pressed, and when: what is approved was on the screen, and was approved by a key of its own.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { AskResult, Interrupt } from '../../src/core/index.js';
import { toolRef } from '../../src/core/index.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import {
  changeOf,
  editState,
  KEYS,
  openInterrupt,
  testTerminal,
  tokensOf,
} from '../human/terminal-harness.js';
import { UNTYPED } from './untyped.js';

const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;

/** A transfer whose every field is a word that stands nowhere else. */
function transfer(number: number, fields: number): Interrupt {
  // Longer than a row of the narrow screens, so that its rows are others there.
  const input = Object.fromEntries(
    tokensOf(number, fields).map((token, at) => [`f${at}`, `some words and then ${token} at the end`]),
  );
  const source = { type: 'tool', ref: toolRef(`r${number}`), name: 'transferMoney', input } as const;
  return openInterrupt(number, { source: { ...source, raisedBy: 'tool' }, payload: true });
}

const LONG_EDIT = changeOf(['old'], tokensOf(9, 40));

type Step =
  | { readonly type: 'key'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'size'; readonly columns: number; readonly rows: number }
  | { readonly type: 'other'; readonly bytes: string };

const MOVES = [' ', ' ', ' ', KEYS.down, KEYS.up, KEYS.end, '\u001b[H', '\u001b[6~', '\u001b[5~'];
const LETTERS = [
  'y',
  'y',
  'Y',
  'Y',
  '1',
  '2',
  'v',
  'q',
  '?',
  'w',
  'c',
  'u',
  'n',
  KEYS.tab,
  KEYS.enter,
  KEYS.escape,
];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...MOVES).map((text): Step => ({ type: 'key', text })) },
  { weight: 6, arbitrary: fc.constantFrom(...LETTERS).map((text): Step => ({ type: 'key', text })) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(0, 20, 100, 320, 500, 2000).map((ms): Step => ({ type: 'wait', ms })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom([80, 9], [40, 12], [60, 8], [30, 6], [80, 3], [80, 24])
      .map(([columns = 80, rows = 24]): Step => ({ type: 'size', columns, rows })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...Object.values(UNTYPED), 'yy', 'Yy', 'YY\r')
      .map((bytes): Step => ({ type: 'other', bytes })),
  },
);

/** Anything, and behind it what a person does who reads so many pages and approves. */
const schedule = fc
  .tuple(fc.array(step, { maxLength: 25 }), fc.nat(12), fc.constantFrom('y', 'Y'))
  .map(([steps, pages, yes]): readonly Step[] => {
    const pause: Step = { type: 'wait', ms: 2000 };
    const read = Array.from({ length: pages }, () => ({ type: 'key', text: ' ' }) as const);
    return [...steps, pause, ...read.flatMap((page) => [page, pause]), { type: 'key', text: yes }, pause];
  });

/** What a terminal says by itself. */
const REPORTS: ReadonlySet<string> = new Set(
  Object.entries(UNTYPED).flatMap(([name, bytes]) => (name.startsWith('a paste') ? [] : [bytes])),
);

/** Plays a schedule, and gives the answer, everything that stood on the screen, and the last thing that was done. */
async function played(open: readonly Interrupt[], steps: readonly Step[]) {
  const terminal = testTerminal({ columns: 40, rows: 12 });
  const { device, clock } = terminal;
  const channel = new TerminalChannel({
    device,
    clock,
    theme: plainTheme,
    actor,
    aside: () => Promise.resolve('answer'),
  });
  const stop = new AbortController();
  let result: AskResult | undefined;
  const asked = channel.ask(open, editState(), stop.signal).then((answer) => {
    result = answer;
  });
  const shown = new Set<string>();
  const look = async (): Promise<void> => {
    for (const word of (await terminal.screen()).match(/q\dx\d+z/g) ?? []) shown.add(word);
  };
  let last: Step | undefined;
  await look();
  for (const one of steps) {
    if (result !== undefined) break;
    if (one.type === 'wait') await clock.advance(one.ms);
    else if (one.type === 'size') await terminal.resize(one.columns, one.rows);
    else await terminal.send(one.type === 'key' ? one.text : one.bytes);
    // What a terminal reports is nothing that a person did.
    if (one.type === 'key' || (one.type === 'other' && !REPORTS.has(one.bytes))) last = one;
    await look();
  }
  const answer = result?.type === 'answered' ? result.answer : undefined;
  stop.abort(new Error('over'));
  await asked;
  return { answer, shown, last };
}

describe('G30, A1, A2: no schedule of keys', () => {
  const cases = [
    ['one of two long calls, or both', [transfer(1, 9), transfer(2, 7)], [9, 7]],
    ['two short calls', [transfer(1, 1), transfer(2, 1)], [1, 1]],
  ] as const;

  test.for(cases)('approves %s unseen', async ([, open, counts]) => {
    let approved = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (steps) => {
        const { answer, shown, last } = await played(open, steps);
        if (answer?.resolution.action !== 'restart') return;
        approved += 1;
        const isAll = last?.type === 'key' && last.text === 'Y';
        const number = answer.id === 'i1' ? 1 : 2;
        const wanted = isAll
          ? [...tokensOf(1, counts[0]), ...tokensOf(2, counts[1])]
          : tokensOf(number, counts[number - 1] ?? 0);
        expect(wanted.filter((token) => !shown.has(token))).toEqual([]);
        // Enter sends the words of "yes, and", which Tab asks for, and nothing else.
        const enters = steps.some((one) => one.type === 'key' && one.text === KEYS.tab) ? [KEYS.enter] : [];
        expect(last?.type === 'key' && ['y', 'Y', 'c', 't', ...enters].includes(last.text)).toBe(true);
        expect(answer.unread).toBeUndefined();
      }),
      {
        numRuns: 100,
        examples: [
          // A report that comes while a key waits for those beside it.
          [
            [
              { type: 'wait', ms: 500 },
              { type: 'key', text: 'Y' },
              { type: 'other', bytes: UNTYPED['a version'] },
              { type: 'wait', ms: 2000 },
            ],
          ],
          // An Esc that comes while a key waits for those beside it, and is known as one later.
          [
            [
              { type: 'size', columns: 80, rows: 24 },
              { type: 'wait', ms: 2000 },
              { type: 'key', text: 'Y' },
              { type: 'key', text: KEYS.escape },
              { type: 'wait', ms: 2000 },
            ],
          ],
          // A size that comes while a key waits for those beside it.
          [
            [
              { type: 'wait', ms: 500 },
              { type: 'key', text: 'y' },
              { type: 'size', columns: 80, rows: 9 },
              { type: 'key', text: KEYS.escape },
              { type: 'wait', ms: 2000 },
              { type: 'key', text: ' ' },
              { type: 'wait', ms: 2000 },
              { type: 'key', text: ' ' },
              { type: 'wait', ms: 2000 },
              { type: 'key', text: 'Y' },
              { type: 'wait', ms: 2000 },
            ],
          ],
        ],
      },
    );
    expect(approved).toBeGreaterThan(5);
  });

  test('approves a long change unseen', async () => {
    let approved = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (steps) => {
        const { answer, shown } = await played([LONG_EDIT], steps);
        if (answer?.resolution.action !== 'restart') return;
        approved += 1;
        expect(tokensOf(9, 40).filter((token) => !shown.has(token))).toEqual([]);
        expect(answer.unread).toBeUndefined();
      }),
      { numRuns: 100 },
    );
    expect(approved).toBeGreaterThan(5);
  });
});
