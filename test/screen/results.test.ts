// A result row has no name only below the line of its own call. Nobody must take one call for another: a rejected one
// for one that ran, or the other way round.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Interrupt } from '../../src/core/index.js';
import {
  calls,
  confirmation,
  decides,
  fails,
  modelSays,
  outputs,
  raises,
  starts,
  userSays,
} from '../render/story.js';
import { PlayedSession } from './played-session.js';

/** What may happen next: to a call, or beside them all. */
type Step =
  | { readonly does: 'ask' | 'approve' | 'reject' | 'allow' | 'result'; readonly call: number }
  | { readonly does: 'note' | 'read' | 'progress' | 'redraw' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom('ask', 'approve', 'reject', 'allow', 'result', 'result'),
      call: fc.nat({ max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('note', 'read', 'progress', 'redraw') }) },
);

const RULE = { type: 'rule', rule: 'allow pay' } as const;
const refOf = (call: number): string => 'abcd'.charAt(call);
const inputOf = (call: number) => ({ amount: 100 + call });

/** Plays a schedule of up to four calls; steps that cannot happen do not. */
async function played(steps: readonly Step[]): Promise<string> {
  using session = new PlayedSession({ columns: 80, rows: 24 });
  const open = new Map<number, Interrupt>();
  const running = new Set<number>();
  const seen = new Set<number>();
  let reads = 0;
  session.tell(
    userSays('pay'),
    modelSays(
      ...[0, 1, 2, 3].map((call) => calls(refOf(call), 'pay', inputOf(call))),
      ...steps.map((_, at) => calls(`read-${at}`, 'read_file', { path: `${at}.txt` })),
    ),
  );
  const start = (call: number): void => {
    running.add(call);
    session.tell(starts(refOf(call), 'pay', inputOf(call)));
  };
  const at: Readonly<Record<Step['does'], (call: number) => Promise<void> | void>> = {
    ask(call) {
      if (seen.has(call)) return;
      seen.add(call);
      const interrupt = confirmation(`i${call}`, refOf(call), 'pay', inputOf(call));
      open.set(call, interrupt);
      session.tell(raises(interrupt));
    },
    async approve(call) {
      await at.ask(call);
      const interrupt = open.get(call);
      if (interrupt === undefined) return;
      open.delete(call);
      await session.answer(interrupt, 'y');
      start(call);
    },
    async reject(call) {
      await at.ask(call);
      const interrupt = open.get(call);
      if (interrupt === undefined) return;
      open.delete(call);
      await session.answer(interrupt, 'n', '\r');
    },
    allow(call) {
      const interrupt = open.get(call);
      if (interrupt === undefined && seen.has(call)) return;
      seen.add(call);
      open.delete(call);
      if (interrupt !== undefined) session.tell(decides(interrupt, { action: 'restart' }, RULE));
      start(call);
    },
    result(call) {
      if (!running.delete(call)) return;
      const ref = refOf(call);
      session.tell(call === 1 ? fails(ref, 'failed to pay 101') : outputs(ref, { paid: 100 + call }));
    },
    note() {
      session.terminal.device.screen.append('somebody else writes\n');
    },
    read() {
      const ref = `read-${reads}`;
      session.tell(starts(ref, 'read_file', { path: `${reads}.txt` }));
      session.tell(
        outputs(ref, { path: `${reads}.txt`, content: 'x\n', fromLine: 1, toLine: 1, totalLines: 1 }),
      );
      reads += 1;
    },
    progress() {
      session.renderer.notice('a notice');
    },
    async redraw() {
      await session.terminal.send('\u000c');
    },
  };
  for (const one of steps) await at[one.does]('call' in one ? one.call : 0);
  for (const call of running) await at.result(call);
  session.end();
  return await session.screen();
}

/** The result rows of a screen that neither stand below their own call nor name it. */
function strays(screen: string): readonly string[] {
  const all = screen.split('\n');
  return all.filter((row, index) => {
    const paid = /(?:paid: |failed to pay )(\d+)/u.exec(row)?.[1];
    if (paid === undefined) return false;
    const named = row.startsWith('  ') ? (all[index - 1] ?? '') : row;
    return !new RegExp(`^[✓✗→] .*pay +(?:amount: )?${paid}\\b`, 'u').test(named);
  });
}

test('each result row stands below its own call, or names it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const screen = await played(steps);
      expect({ strays: strays(screen), screen }).toEqual({ strays: [], screen });
    }),
    {
      numRuns: 120,
      examples: [
        [
          [
            { does: 'ask', call: 0 },
            { does: 'ask', call: 1 },
            { does: 'approve', call: 0 },
            { does: 'reject', call: 1 },
            { does: 'result', call: 0 },
          ],
        ],
      ],
    },
  );
});

test('a result below the line of another call, and one that names none, are found', () => {
  expect(strays('✓ you approved  pay  100\n✗ you rejected  pay  101\n  ✓ paid: 100')).toEqual([
    '  ✓ paid: 100',
  ]);
  expect(strays('✓ pay · paid: 100')).toEqual(['✓ pay · paid: 100']);
  expect(strays('✓ you approved  pay  100\n  ✓ paid: 100\n✓ pay  102 · paid: 102')).toEqual([]);
});
