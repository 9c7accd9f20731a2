import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { emptyState, fold, operationState } from '../../../src/core/index.js';
import { graph, runGraph, workflow } from '../../../src/graph/index.js';
import { scene } from '../../engine/drive.js';
import { decide, startGraph } from '../drive-graph.js';
import { goOn, operationsOf, play } from './play.js';

/** Everything that a run shows and does not keep. */
async function shown(flow: Parameters<typeof runGraph>[1], from = emptyState()) {
  let state = from;
  const emitted: unknown[] = [];
  const steps = runGraph(from, flow, { run: scene() }, new AbortController().signal);
  for (;;) {
    const step = await steps.next(state);
    if (step.done === true) return { state, emitted };
    if (step.value.durable) state = fold(structuredClone(step.value.events), state);
    else if (step.value.event.type === 'emitted')
      emitted.push([step.value.event.scope, step.value.event.data]);
  }
}

test('an input that a workflow does not take is refused before anything of it begins', async () => {
  const flow = workflow('flow', { input: z.object({ n: z.number() }) }, (_ctx, { n }) => Promise.resolve(n));
  for (const set of [{}, { n: 'one' }, { input: { n: 'one' } }])
    await expect(startGraph(flow, { start: { set } })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('the input of `flow` is invalid: n: ') as string,
      hint: expect.stringContaining('the input is the `input` key') as string,
    });
  for (const set of [{ n: 1 }, { input: { n: 1 } }])
    expect((await startGraph(flow, { start: { set } })).outcome).toMatchObject({ reason: { type: 'done' } });
});

describe('what the code of a workflow says of itself', () => {
  test('W46, N16: is emitted once, kept where it is asked to be, and not shown again in a replay', async () => {
    const flow = workflow('flow', async (ctx) => {
      await ctx.emit('begins');
      await ctx.emit({ hosts: 2 }, { keep: true });
      await ctx.step('one', () => 1);
      await ctx.emit('half');
      const said = await ctx.ask('go', { prompt: 'go?' });
      await ctx.emit('ends');
      return said;
    });
    const first = await shown(flow);
    expect(first.emitted).toEqual(['begins', { hosts: 2 }, 'half'].map((data) => ['flow@1', data]));
    const answered = decide(first.state, { action: 'respond', output: true });
    expect((await shown(flow, answered)).emitted).toEqual([['flow@1', 'ends']]);
  });

  test('W47: its state has a type, follows from its operations, and is checked', async () => {
    const seen: unknown[] = [];
    const shape = z.object({ host: z.string().default(''), done: z.number().default(0) });
    const flow = workflow('flow', { state: shape }, async (ctx) => {
      seen.push(ctx.state);
      await ctx.put({ host: 'a' });
      await ctx.all('both', { left: (one) => one.put({ done: 1 }), right: (one) => one.step('s', () => 1) });
      await ctx.ask('go', { prompt: 'go?' });
      await ctx.put({ done: ctx.state.done + 1 });
      return ctx.state;
    });
    const first = await play(flow);
    const current = first.state.graph?.current;
    expect(current && operationState(current)).toEqual({ host: 'a', done: 1 });
    expect((await goOn(first.state, flow, [{ say: 1 }])).output).toEqual({ host: 'a', done: 2 });
    expect(seen.every((one) => JSON.stringify(one) === '{"host":"","done":0}')).toBe(true);
    const wrong = workflow('wrong', { state: shape }, (ctx) => ctx.put({ done: 'many' as never }));
    expect((await play(wrong)).outcome).toMatchObject({
      reason: {
        type: 'failed',
        error: { message: expect.stringContaining('the state update is invalid') as string },
      },
    });
    const none = workflow('none', { state: z.object({ host: z.string() }) }, () => 1);
    expect((await play(none)).outcome).toMatchObject({ reason: { type: 'failed' } });
  });

  test('W48: a checkpoint is where the code starts from, and what came before is not replayed', async () => {
    const done: number[] = [];
    const flow = workflow('flow', async (ctx) => {
      let at = (await ctx.restored(z.number())) ?? 0;
      for (; at < 6; at += 1) {
        if (at === 3) await ctx.ask('go', { prompt: 'go?' });
        await ctx.step('work', () => void done.push(at));
        await ctx.put({ at });
        if (at % 3 === 2) await ctx.checkpoint(at + 1);
      }
      return [at, ctx.state];
    });
    const first = await play(flow);
    const current = first.state.graph?.current;
    expect(current?.operations.entries().map(([key]) => key)).toEqual(['go#1']);
    expect(current?.checkpoint).toEqual({
      state: 3,
      values: { at: 2 },
      counts: { work: 3, state: 3, checkpoint: 1 },
    });
    const second = await goOn(first.state, flow, [{ say: 1 }]);
    expect(operationsOf(second.events).filter((line) => line.startsWith('started'))).toEqual([
      'started work#4',
      'started state#4',
      'started work#5',
      'started state#5',
      'started work#6',
      'started state#6',
      'started checkpoint#2',
    ]);
    expect(second.output).toEqual([6, { at: 5 }]);
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('W49: a checkpoint with something open, or in a branch, fails', async () => {
    const open = workflow('open', async (ctx) => {
      const asked = ctx.ask('go', { prompt: 'go?' });
      await ctx.step('one', () => 1);
      await ctx.checkpoint(1);
      await asked;
    });
    const first = await play(open);
    expect(operationsOf(first.events)).toEqual(['started go#1', 'started one#1', 'settled one#1']);
    const inside = workflow('inside', (ctx) => ctx.all('all', { a: (one) => one.checkpoint(1) }));
    expect((await play(inside)).outcome).toMatchObject({
      reason: {
        type: 'failed',
        error: { message: expect.stringContaining('cannot save a checkpoint') as string },
      },
    });
  });

  test('the body of a node emits too', async () => {
    const flow = graph('g')
      .fn('slow', (_state, { emit }) => {
        emit('10 %');
        emit('90 %');
        return 1;
      })
      .end('slow')
      .build();
    expect((await shown(flow)).emitted).toEqual([
      ['slow@1', '10 %'],
      ['slow@1', '90 %'],
    ]);
  });
});
