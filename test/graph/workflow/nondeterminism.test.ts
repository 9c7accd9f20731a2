import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { WorkflowContext } from '../../../src/graph/index.js';
import { workflow } from '../../../src/graph/index.js';
import type { RunState } from '../../../src/core/index.js';
import { membersOf, openInterrupts } from '../../../src/core/index.js';
import { decide } from '../drive-graph.js';
import { asking, goOn, play } from './play.js';

const ask = (ctx: WorkflowContext, prompt: string) => ctx.ask('sure', { prompt, schema: z.boolean() });
const named = (code: (ctx: WorkflowContext) => Promise<unknown>) => workflow('flow', code);

const older = named(async (ctx) => [await ask(ctx, 'Keep it?'), await ctx.ask('go', { prompt: 'go?' })]);
const newer = named(async (ctx) => [await ask(ctx, 'Delete it?'), await ctx.ask('go', { prompt: 'go?' })]);

describe('code that does something else than the journal says', () => {
  test('W7, W11: an answer never goes to another question: both are shown, and a person decides', async () => {
    const { state } = await play(older, [{ say: true }]);
    const met = await goOn(state, newer);
    expect(openInterrupts(met.state)).toMatchObject([
      {
        kind: 'error',
        source: { operation: 'sure#1' },
        allowed: ['retry', 'continue', 'respond', 'cancel'],
        payload: {
          code: 'NONDETERMINISM',
          operation: 'sure#1',
          recorded: 'ask: Keep it?',
          now: 'ask: Delete it?',
        },
      },
      { kind: 'question', source: { operation: 'go#1' } },
    ]);
  });

  const differing = async () => (await goOn((await play(older, [{ say: true }])).state, newer)).state;
  const isDifference = ({ kind }: { readonly kind: string }): boolean => kind === 'error';

  test('W12: what is recorded is taken where a person says so, for good', async () => {
    const state = decide(await differing(), { action: 'continue' }, isDifference);
    const { output, state: end } = await goOn(state, newer, [{ say: 'gone' }]);
    expect([output, asking(end)]).toEqual([[true, 'gone'], []]);
  });

  test('W13: it and what began after it is done anew where a person says so', async () => {
    const state = decide(await differing(), { action: 'retry' }, isDifference);
    const met = await goOn(state, newer);
    expect(openInterrupts(met.state).map(({ payload }) => payload)).toEqual([{ question: 'Delete it?' }]);
    expect((await goOn(met.state, newer, [{ say: false }, { say: 1 }])).output).toEqual([false, 1]);
  });

  test('W14: a value in its place is its result', async () => {
    const state = decide(await differing(), { action: 'respond', output: false }, isDifference);
    expect((await goOn(state, newer, [{ say: 2 }])).output).toEqual([false, 2]);
  });

  test('W11: a person may end the run, and it stays as it was', async () => {
    const state = decide(await differing(), { action: 'cancel' }, isDifference);
    const { outcome } = await goOn(state, newer);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'aborted' } });
  });

  test('W11: another kind under the same key is another operation', async () => {
    const step = named(async (ctx) => [
      await ctx.step('sure', () => true),
      await ctx.ask('go', { prompt: 'go?' }),
    ]);
    const { state } = await goOn((await play(older, [{ say: true }])).state, step);
    expect(openInterrupts(state).find(isDifference)?.payload).toMatchObject({
      recorded: 'ask: Keep it?',
      now: 'step',
    });
  });

  test('W11: a step about something else is another one', async () => {
    const about = (host: string) =>
      named(async (ctx) => {
        await ctx.step('deploy', () => host, { of: host });
        return ctx.ask('go', { prompt: 'go?' });
      });
    const { state } = await goOn((await play(about('a'))).state, about('b'));
    expect(openInterrupts(state).find(isDifference)?.payload).toMatchObject({
      recorded: 'step: a',
      now: 'step: b',
    });
  });

  test('W15: an operation that the code leaves out is found at its end', async () => {
    const without = named((ctx) => ctx.ask('go', { prompt: 'go?' }));
    const { state } = await play(older, [{ say: true }]);
    const { state: met } = await goOn(decide(state, { action: 'respond', output: 1 }), without);
    expect(openInterrupts(met)).toMatchObject([
      {
        kind: 'error',
        allowed: ['retry', 'continue', 'cancel'],
        source: { operation: 'sure#1' },
        payload: { now: 'nothing: the code ends without reaching it', left: ['sure#1'] },
      },
    ]);
    const again = await goOn(met, without, [{ action: 'retry' }]);
    expect(asking(again.state)).toEqual(['sure#1']);
    expect((await goOn(met, older, [{ action: 'retry' }])).output).toEqual([true, 1]);
    expect((await goOn(met, without, [{ action: 'continue' }])).output).toBe(1);
  });

  test('W15: version 0.2.0 asked whether it is left out with `retry`, and is read so', async () => {
    const without = named((ctx) => ctx.ask('go', { prompt: 'go?' }));
    const { state } = await play(older, [{ say: true }]);
    const { state: met } = await goOn(decide(state, { action: 'respond', output: 1 }), without);
    const { current } = met.graph ?? {};
    const { open: gate } = current ?? {};
    if (current === undefined || gate === undefined) throw new Error('nothing is asked');
    const { left: _left, ...payload } = membersOf(gate.payload);
    const asked = { ...gate, payload, allowed: ['retry', 'cancel'] } as const;
    const old = { ...met, graph: met.graph?.with({ current: { ...current, open: asked } }) } as RunState;
    expect((await goOn(old, without, [{ action: 'retry' }])).output).toBe(1);
  });

  test('O3: what the journal does not know is told before it runs, and what is agreed to is told once (N4)', async () => {
    const done: string[] = [];
    const of = (...names: readonly string[]) =>
      named(async (ctx) => {
        for (const name of names) await ctx.step(name, () => void done.push(name), { effect: 'once' });
        return ctx.ask('go', { prompt: 'go?' });
      });
    const { state } = await play(of('charge', 'mail', 'book'));
    const met = await goOn(state, of('charge card', 'book', 'ship'));
    expect([done, asking(met.state)]).toEqual([
      ['charge', 'mail', 'book'],
      ['charge#1', 'go#1'],
    ]);
    expect(openInterrupts(met.state)[0]?.payload).toMatchObject({
      message:
        'the code does not reach `charge#1`, which is in the journal: it would start `charge card#1` instead',
      recorded: 'step',
      now: 'step, as `charge card#1`',
      left: ['charge#1', 'mail#1', 'book#1', 'go#1'],
    });
    const further = await goOn(met.state, of('charge card', 'book', 'ship'), [
      { action: 'continue' },
      { say: 'on' },
    ]);
    expect([done, further.output]).toEqual([['charge', 'mail', 'book', 'charge card', 'ship'], 'on']);
  });

  test('W16: an operation behind all that was journaled is new, and no difference', async () => {
    const longer = named(async (ctx) => [
      await ask(ctx, 'Keep it?'),
      await ctx.ask('go', { prompt: 'go?' }),
      await ctx.ask('more', { prompt: 'more?' }),
    ]);
    const { state } = await play(older, [{ say: true }]);
    expect((await goOn(state, longer, [{ say: 1 }, { say: 2 }])).output).toEqual([true, 1, 2]);
  });

  test('W17: `patched` is false for a run that passed it with older code, true for a new one, and stays so', async () => {
    const seen: boolean[] = [];
    const patched = named(async (ctx) => {
      const isNew = await ctx.patched('audit');
      seen.push(isNew);
      if (isNew) await ctx.step('audit', () => null);
      return [await ask(ctx, 'Keep it?'), await ctx.ask('go', { prompt: 'go?' })];
    });
    const { state } = await play(older, [{ say: true }]);
    expect((await goOn(state, patched, [{ say: 1 }])).output).toEqual([true, 1]);
    expect(seen).toEqual([false, false]);
    expect((await play(patched, [{ say: true }, { say: 1 }])).output).toEqual([true, 1]);
    expect(seen).toEqual([false, false, true, true, true]);
  });
});
