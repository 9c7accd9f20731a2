import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Graph, WorkflowContext } from '../../../src/graph/index.js';
import { graph, replayCheck, workflow } from '../../../src/graph/index.js';
import type { Reply } from './play.js';
import { play } from './play.js';

type Code = (ctx: WorkflowContext) => unknown;

const flow = (code: Code): Graph => workflow('flow', async (ctx) => code(ctx));
const sure = (ctx: WorkflowContext, prompt = 'Sure?') => ctx.ask('sure', { prompt, schema: z.boolean() });
const go = (ctx: WorkflowContext) => ctx.ask('go', { prompt: 'go?' });

/** What a replay says of a session of one code with another one. */
async function check(older: Graph, newer: Graph, replies: readonly Reply[] = [{ say: true }]) {
  return replayCheck(newer, await play(older, replies));
}

const at = (operation: string, recorded: string, now: string) => ({
  path: 'flow@1',
  operation,
  recorded,
  now,
  between: 'journal',
});

describe('a replay check', () => {
  let ran = 0;
  const everything = flow(async (ctx) => {
    await ctx.step('count', () => (ran += 1), { of: 'a' });
    await ctx.put({ a: 1 });
    await ctx.emit('shown', { keep: true });
    const id = await ctx.uuid();
    await ctx.step('fall', () => Promise.reject(new Error('down'))).catch(() => undefined);
    const both = await ctx.all('both', {
      left: (one) => one.step('left', () => (ran += 1)),
      right: (one) => sure(one),
    });
    await ctx.race('first', { soon: (one) => one.step('soon', () => id), late: (one) => go(one) });
    await go(ctx);
    return both;
  });

  test.for([0, 1, 2])(
    'agrees with the code that wrote it after %i answers, and runs nothing',
    async (count) => {
      const state = await play(
        everything,
        Array.from({ length: count }, () => ({ say: true })),
      );
      const before = ran;
      const report = await replayCheck(everything, state);
      expect([report.difference, report.operations > 5, ran]).toEqual([undefined, true, before]);
    },
  );

  const both: Code = async (ctx) => [
    await ctx.step('a', () => 1, { of: 'x' }),
    await sure(ctx),
    await go(ctx),
  ];

  test.for<readonly [string, Code, unknown]>([
    ['adds an operation behind all of it', async (ctx) => [await both(ctx), await ctx.now()], undefined],
    [
      'asks `patched` for what it adds',
      async (ctx) => {
        if (await ctx.patched('audit')) await ctx.step('audit', () => null);
        return both(ctx);
      },
      undefined,
    ],
    [
      'does something else',
      async (ctx) => [await ctx.step('a', () => 1, { of: 'y' }), await sure(ctx), await go(ctx)],
      at('a#1', 'step: x', 'step: y'),
    ],
    [
      'asks something else',
      async (ctx) => [await ctx.step('a', () => 1, { of: 'x' }), await sure(ctx, 'Really?'), await go(ctx)],
      at('sure#1', 'ask: Sure?', 'ask: Really?'),
    ],
    [
      'asks with another schema',
      async (ctx) => [
        await ctx.step('a', () => 1, { of: 'x' }),
        await ctx.ask('sure', { prompt: 'Sure?', schema: z.number() }),
      ],
      at('sure#1', 'ask: Sure?', 'ask: Sure? (same text, different details)'),
    ],
    [
      'does something of another kind',
      async (ctx) => [await ctx.ask('a', { prompt: 'a?' }), await sure(ctx)],
      at('a#1', 'step: x', 'ask: a?'),
    ],
    [
      'does something before it',
      async (ctx) => [await ctx.step('new', () => 0), await both(ctx)],
      at('a#1', 'step: x', 'step, as `new#1`'),
    ],
    [
      'ends without it',
      async (ctx) => ctx.step('a', () => 1, { of: 'x' }),
      at('sure#1', 'ask: Sure?', 'nothing: the code ends without reaching it'),
    ],
    [
      'throws before it',
      () => {
        throw new Error('gone');
      },
      at('a#1', 'step: x', 'nothing: the code throws `gone` before reaching it'),
    ],
    [
      'waits before it',
      async (ctx) => [await go(ctx), await both(ctx)],
      at('a#1', 'step: x', 'nothing: the code is waiting for something else'),
    ],
  ])('says the first operation where the code %s', async ([, newer, difference]) => {
    const report = await check(flow(both), flow(newer));
    expect(report).toEqual({ operations: 3, ...(difference !== undefined && { difference }) });
  });

  test('finds another operation inside of a branch, and none where the branch was left', async () => {
    const paired = (name: string) =>
      flow(async (ctx) => {
        await ctx.all('pair', { left: (one) => one.step(name, () => 1), right: (one) => sure(one) });
      });
    const { difference } = await check(paired('old'), paired('new'), []);
    expect(difference).toEqual(at('pair/left/old#1', 'step', 'step, as `pair/left/new#1`'));
    const raced = (code: Code) =>
      flow(async (ctx) => {
        await ctx.race('pair', { left: (one) => one.step('a', () => 1), right: code });
        await go(ctx);
      });
    const late = raced(async (one) => [await sure(one), await one.step('old', () => 1)]);
    expect(
      await check(
        late,
        raced(async (one) => sure(one)),
        [],
      ),
    ).not.toHaveProperty('difference');
  });

  test('finds code that agrees with the journal, and does not do the same twice', async () => {
    let turn = 0;
    const { difference } = await check(
      flow(both),
      flow(async (ctx) => [await both(ctx), await ctx.step('next', () => 1, { of: (turn += 1) })]),
      [{ say: true }, { say: true }],
    );
    expect(difference).toEqual({ ...at('next#1', 'step: 1', 'step: 2'), between: 'replays' });
  });

  test('goes into a workflow that is called, and into the nodes of a graph', async () => {
    const inner = (prompt: string) => workflow('inner', async (ctx) => sure(ctx, prompt));
    const calling = (prompt: string) => flow(async (ctx) => ctx.call(inner(prompt), 1));
    const called = await check(calling('Keep?'), calling('Drop?'));
    expect(called.difference).toEqual({
      ...at('sure#1', 'ask: Keep?', 'ask: Drop?'),
      path: 'flow@1/inner#1/inner@1',
    });
    const holding = (prompt: string) =>
      graph('holding')
        .subgraph('in', { graph: inner(prompt) })
        .end('in')
        .build();
    const held = await check(holding('Keep?'), holding('Drop?'));
    expect(held.difference).toEqual({ ...at('sure#1', 'ask: Keep?', 'ask: Drop?'), path: 'in@1/inner@1' });
    expect(await check(holding('Keep?'), holding('Keep?'))).toEqual({ operations: 1 });
  });

  test('gives the code the input that it was given, also behind its end', async () => {
    const about = flow((ctx) => ctx.step('a', () => 1, { of: ctx.path }));
    const counting = workflow('flow', async (ctx, input) => ctx.step('a', () => 1, { of: input }));
    expect(await check(about, about, [])).toEqual({ operations: 1 });
    expect(await check(counting, counting, [])).toEqual({ operations: 1 });
  });

  test('starts from a checkpoint', async () => {
    const paged = flow(async (ctx) => {
      for (let page = (await ctx.restored(z.number())) ?? 0; ; page += 1) {
        await ctx.step('read', () => page, { of: page });
        await go(ctx);
        await ctx.checkpoint(page + 1);
      }
    });
    const { state } = await play(paged, [{ say: 1 }, { say: 2 }]);
    expect(await replayCheck(paged, { state })).toEqual({ operations: 2 });
  });

  test('looks at nothing behind an answer that was a typed secret', async () => {
    const { state } = await play(flow(both), [{ say: true }]);
    const current = state.graph?.current;
    const asks = (current?.asks ?? []).map((ask) =>
      ask.answer === undefined ? ask : { ...ask, answer: { value: '***', secrets: [''] } },
    );
    const hidden = current && state.graph.with({ current: { ...current, asks } });
    const kept = { ...state, ...(hidden !== undefined && { graph: hidden }) };
    const other = flow(async (ctx) => [await ctx.step('a', () => 1, { of: 'x' }), await sure(ctx)]);
    expect(await replayCheck(other, { state: kept })).toEqual({ operations: 3 });
    expect(await replayCheck(other, { state })).toHaveProperty('difference.operation', 'go#1');
  });

  test('refuses a session of another workflow, and one that ran no code', async () => {
    const { state } = await play(flow(go));
    await expect(replayCheck(workflow('other', go), { state })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'the session does not belong to workflow `other`',
      hint: 'the session belongs to `flow`',
    });
    const declared = graph('declared')
      .human('ask', { question: () => ({ prompt: 'ok?' }) })
      .end('ask')
      .build();
    await expect(replayCheck(declared, await play(declared))).rejects.toMatchObject({ code: 'BAD_INPUT' });
    const plain = graph('flow')
      .fn('flow', () => 1)
      .end('flow')
      .build();
    expect(await replayCheck(plain, { state })).toMatchObject({
      difference: at('go#1', 'ask: go?', 'nothing: `flow` is not a workflow written as code'),
    });
  });
});
