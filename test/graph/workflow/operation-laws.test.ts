// The laws of operations: what was begun begins once, a run rests only with something open, a step begins nothing.
import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { RunState, SessionEvent } from '../../../src/core/index.js';
import { emptyState, fold, openInterrupts } from '../../../src/core/index.js';
import type { Graph, WorkflowContext } from '../../../src/graph/index.js';
import { graph, runGraph, workflow } from '../../../src/graph/index.js';
import { scene } from '../../engine/drive.js';
import { decide, driveGraph } from '../drive-graph.js';
import { asking, goOn, operationsOf, play } from './play.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** Runs until every body in flight waits, and dies then: what the journal has is what is left. */
async function dying(flow: Graph, from: RunState = emptyState()): Promise<RunState> {
  let state = from;
  const steps = runGraph(from, flow, { run: scene() }, new AbortController().signal);
  void (async () => {
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return;
      if (step.value.durable) state = fold(structuredClone(step.value.events), state);
    }
  })();
  for (let turns = 0; turns < 20; turns += 1) await turn();
  return state;
}

/** A session on a disk that takes its time, so that operations are told while others go on. */
async function slowly(flow: Graph, from: RunState = emptyState()): Promise<RunState> {
  let state = from;
  const steps = runGraph(from, flow, { run: scene() }, new AbortController().signal);
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return state;
    if (!step.value.durable) continue;
    for (let turns = 0; turns < 3; turns += 1) await turn();
    state = fold(structuredClone(step.value.events), state);
  }
}

describe('O1: what was started and may have had an effect begins again only by an answer about it', () => {
  const paid: string[] = [];
  let isDying = true;
  const pay = (who: string) => (ctx: WorkflowContext) =>
    ctx.step('pay', () => (isDying ? never() : void paid.push(who)), { of: who });

  test.for([
    [
      'branches',
      workflow('pay', (ctx) => ctx.all('people', { ann: pay('ann'), bob: pay('bob'), cid: pay('cid') })),
    ],
    ['Promise.all', workflow('pay', (ctx) => Promise.all(['ann', 'bob', 'cid'].map((who) => pay(who)(ctx))))],
    [
      'a function of a graph',
      graph('pay')
        .fn('pay', async (_, ctx) => {
          const steps = ['ann', 'bob', 'cid'].map((who) =>
            ctx.step(who, () => (isDying ? never() : void paid.push(who))),
          );
          await Promise.all(steps);
        })
        .start('pay')
        .end('pay')
        .build(),
    ],
  ] as const)('N1: `retry` of one of three in %s is of one', async ([, flow]) => {
    paid.length = 0;
    isDying = true;
    let state = await dying(flow);
    isDying = false;
    const asked: string[] = [];
    for (const answer of ['retry', 'respond', 'retry'] as const) {
      ({ state } = await driveGraph(state, flow));
      const open = openInterrupts(state);
      expect([open.length, open[0]?.kind, paid]).toEqual([1, 'in-doubt', []]);
      asked.push(JSON.stringify(open[0]?.payload));
      state = decide(state, answer === 'retry' ? { action: 'retry' } : { action: 'respond', output: null });
    }
    const { outcome } = await driveGraph(state, flow);
    expect([new Set(asked).size, paid.sort().join()]).toEqual([3, 'ann,cid']);
    if (flow.name === 'pay' && openInterrupts(outcome.state).length === 0)
      expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });

  test('N9: an effect that this version does not know may have happened', async () => {
    const flow = workflow('pay', (ctx) => ctx.step('pay', never));
    const state = await dying(flow);
    const odd: SessionEvent = {
      type: 'op-started',
      node: 'pay',
      visit: 1,
      key: 'odd#1',
      kind: 'step',
      digest: 'd',
      effect: 'onec' as never,
    };
    const answered = decide((await driveGraph(state, flow)).state, { action: 'respond', output: null });
    const { state: rested } = await driveGraph(fold([odd], answered), flow);
    expect(openInterrupts(rested).map(({ payload }) => payload)).toMatchObject([{ step: 'odd#1' }]);
  });
});

describe('O2: a run rests only with something open, and what lost is withdrawn before', () => {
  const fails = (): never => {
    throw new Error('no');
  };
  const losers: Readonly<Record<string, (ctx: WorkflowContext) => unknown>> = {
    ask: (ctx) => ctx.ask('q', { prompt: '?' }),
    sleep: (ctx) => ctx.sleep('q', '1h'),
    event: (ctx) => ctx.event('q'),
  };

  test.for(
    Object.keys(losers).flatMap((loser) =>
      (['all', 'any', 'race'] as const).map((join) => [join, loser] as const),
    ),
  )('N2: `%s` with a loser that waits (%s) goes on, and rolls back', async ([join, loser]) => {
    const undone: string[] = [];
    const flow = workflow('flow', async (ctx) => {
      try {
        await ctx[join]('r', {
          waits: (one) => losers[loser]?.(one),
          ends: (one) => one.step('s', join === 'all' ? fails : () => 1),
        });
        if (join !== 'all') throw new Error('decided');
      } catch {
        for (const host of ['a', 'b', 'c'])
          await ctx.step('undo', () => void undone.push(host), { of: host });
      }
      return 'rolled back';
    });
    const state = await slowly(flow);
    expect({
      open: asking(state),
      undone,
      ended: state.ended?.type,
      output: state.graph?.state['flow'],
    }).toEqual({
      open: [],
      undone: ['a', 'b', 'c'],
      ended: 'done',
      output: 'rolled back',
    });
  });

  test('N26: nested branches that fail close a question once, under a key that names each place once', async () => {
    const flow = workflow('w', async (ctx) => {
      try {
        return await ctx.all('out', {
          k0: (d) =>
            d.all('in', {
              k0: (e) =>
                e.any('any', { asks: (f) => f.ask('q', { prompt: '?' }), s: (f) => f.step('s', never2) }),
              k1: (e) => e.step('f1', fails, { effect: 'none' }),
            }),
          k1: (d) => d.step('f2', fails, { effect: 'none' }),
        });
      } catch {
        return 'caught';
      }
    });
    const { state, events } = await play(flow);
    const closed = operationsOf(events).filter((line) => line.startsWith('failed') && line.includes('/q#'));
    expect([closed, state.graph?.state['w']]).toEqual([['failed out/k0/in/k0/any/asks/q#1'], 'caught']);
  });

  test('N27: what a dead branch asked is not shown to anybody', async () => {
    const flow = workflow('w', async (ctx) => {
      try {
        await ctx.all('r', {
          a: (one) => one.ask('a', { prompt: 'a?' }),
          bad: (one) => one.step('bad', fails),
          b: async (one) => {
            await one.step('first', () => turn());
            await one.ask('b', { prompt: 'b?' });
          },
        });
      } catch {
        await ctx.ask('after', { prompt: 'after?' });
      }
    });
    expect(asking(await slowly(flow))).toEqual(['after#1']);
  });

  test('a loser that ran when it lost is told to stop, and what it came to is kept (N16)', async () => {
    const seen: string[] = [];
    const flow = workflow('w', (ctx) =>
      ctx.race('r', {
        slow: (one) =>
          one.step(
            'slow',
            ({ signal }) =>
              new Promise((_, reject) => {
                signal.addEventListener('abort', () => {
                  seen.push('told');
                  reject(new Error('stopped'));
                });
              }),
          ),
        quick: (one) => one.step('quick', () => 1),
      }),
    );
    const { events, output } = await play(flow);
    expect([seen, output, operationsOf(events).filter((line) => line.includes('slow'))]).toEqual([
      ['told'],
      1,
      ['started r/slow/slow#1', 'failed r/slow/slow#1'],
    ]);
  });

  test('N10: a limit counts branches that work, and none that waits for a person', async () => {
    let most = 0;
    let now = 0;
    const flow = workflow('w', (ctx) =>
      ctx.all(
        'items',
        Object.fromEntries(
          Array.from({ length: 12 }, (_, at) => [
            `k${at}`,
            async (one: WorkflowContext) => {
              await one.step('look', async () => {
                now += 1;
                most = Math.max(most, now);
                await turn();
                now -= 1;
              });
              if (at % 2 === 0) await one.ask('ok', { prompt: `${at}?`, schema: z.boolean() });
            },
          ]),
        ),
        { limit: 2 },
      ),
    );
    expect([asking((await play(flow)).state).length, most]).toEqual([6, 2]);
  });
});

const never2 = (context: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => {
    context.signal.addEventListener('abort', () => {
      reject(new Error('stopped'));
    });
  });

describe('O5: the body of a step begins no operation (N7)', () => {
  const inner: Readonly<Record<string, (ctx: WorkflowContext) => Promise<unknown>>> = {
    ask: (ctx) => ctx.ask('q', { prompt: '?' }),
    timer: (ctx) => ctx.sleep('q', '1h'),
    event: (ctx) => ctx.event('q'),
    step: (ctx) => ctx.step('q', () => 1),
    call: (ctx) =>
      ctx.call(
        workflow('q', () => 1),
        {},
      ),
    race: (ctx) => ctx.all('q', { a: (one) => one.step('a', () => 1) }),
  };

  test.for(Object.keys(inner).flatMap((kind) => [[kind, false] as const, [kind, true] as const]))(
    '`%s` is refused at once, also behind an await: %j',
    async ([kind, isLate]) => {
      const flow = workflow('w', (ctx) =>
        ctx.step('outer', async () => {
          if (isLate) await turn();
          await inner[kind]?.(ctx);
        }),
      );
      const { outcome } = await goOn(emptyState(), flow);
      expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'failed' } });
      const reason =
        outcome.type === 'ended' && outcome.reason.type === 'failed' ? outcome.reason.error.message : '';
      expect(reason).toBe(
        `node \`w\` failed: \`q\` (${kind}) was started inside the step \`outer#1\`, which cannot start operations`,
      );
    },
  );
});
