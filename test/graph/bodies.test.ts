import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/core/index.js';
import type { FunctionOptions, NodeBody } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { scene } from '../engine/drive.js';
import { decide, driveGraph, openOf, startGraph } from './drive-graph.js';

function one(run: NodeBody, options: FunctionOptions = {}) {
  return graph('g').fn('a', run, options).end('a').build();
}

/** A body that never ends and hears of nothing; `entered` resolves when it runs. */
function deaf() {
  let enter: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const run: NodeBody = () => {
    enter();
    return new Promise(() => undefined);
  };
  return { run, entered };
}

describe('a body', () => {
  test.for<[string, NodeBody]>([
    ['with a parameter', (state) => state['n'] ?? null],
    ['that takes one apart', ({ n }) => n ?? null],
    ['that collects them', (...[state]) => state['n'] ?? null],
    [
      'that looks at its arguments',
      function () {
        // oxlint-disable-next-line prefer-rest-params -- the old way to take what is not declared
        return (arguments[0] as JsonObject)['n'] ?? null;
      },
    ],
    [
      'that is bound',
      function (this: unknown, state: JsonObject) {
        return state['n'] ?? null;
      }.bind(undefined),
    ],
    [
      'that is a method',
      {
        run(state: JsonObject) {
          return state['n'] ?? null;
        },
      }.run,
    ],
  ])('%s is given the state', async ([, run]) => {
    const { state } = await startGraph(one(run), { start: { set: { n: 7 } } });
    expect(state.graph?.state).toEqual({ n: 7, a: 7 });
  });

  test('may do several steps at once; each is kept, and done once', async () => {
    let done = 0;
    const both = one(async (_state, context) => {
      const steps = ['x', 'y'].map((key) => context.step(key, () => `${key}${(done += 1)}`));
      return [...(await Promise.all(steps)), await context.ask({ prompt: 'ok?' })];
    });
    const { state } = await startGraph(both);
    const after = await driveGraph(decide(state, { action: 'respond', output: 'yes' }), both);
    expect([done, after.state.graph?.state]).toEqual([2, { a: ['x1', 'y2', 'yes'] }]);
  });

  test('ends with its steps: one beside a question is done once', async () => {
    let paid = 0;
    const beside = one(async (_state, context) => {
      const pay = context.step('pay', async () => {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        return (paid += 1);
      });
      const [ok, receipt] = await Promise.all([context.ask({ prompt: 'ok?' }), pay]);
      return [ok, receipt];
    });
    const { state } = await startGraph(beside);
    const after = await driveGraph(decide(state, { action: 'respond', output: 'yes' }), beside);
    expect([paid, after.state.graph?.state]).toEqual([1, { a: ['yes', 1] }]);
  });

  test('that takes longer than its time fails', async () => {
    const clock = fakeClock();
    const { run, entered } = deaf();
    const driven = startGraph(one(run, { timeout: 50 }), { run: scene({ clock }) });
    await entered;
    await clock.advance(50);
    await clock.advance(2_000);
    expect((await driven).state.ended).toEqual({
      type: 'failed',
      error: { code: 'NODE_FAILED', message: 'node `a` failed: it took longer than 50 ms' },
    });
  });

  test('that does not stop with the run is given up, and asked about when the run is taken up again', async () => {
    const clock = fakeClock();
    const { run, entered } = deaf();
    const stop = new AbortController();
    const stuck = one(run);
    const driven = startGraph(stuck, { run: scene({ clock }), signal: stop.signal });
    await entered;
    stop.abort();
    await clock.advance(2_000);
    const { state } = await driven;
    expect(state.ended).toEqual({ type: 'aborted' });
    expect(openOf((await driveGraph(state, stuck)).state)).toEqual(['in-doubt a@1 run']);
  });

  test('C-22: cannot write to the state, nor to what a person put there', async () => {
    const tries: string[] = [];
    const attempt = (what: string, write: () => unknown): void => {
      try {
        write();
        tries.push(what);
      } catch {
        // as it should be
      }
    };
    const guarded = graph('g', { reducers: { log: 'append' }, interruptBefore: ['b'] })
      .fn('a', () => ({ patch: { log: [{ by: 'a' }] } }))
      .fn('b', (state: JsonObject) => {
        const items = state['log'] as { by: string }[];
        attempt('the state', () => Object.assign(state, { new: 1 }));
        attempt('a list', () => items.push({ by: 'b' }));
        for (const item of items) attempt(item.by, () => Object.assign(item, { by: 'b' }));
      })
      .edge('a', 'b')
      .end('b')
      .build();
    const { state } = await startGraph(guarded);
    const edited = decide(state, { action: 'update-state', patch: { log: { by: 'ann' } } });
    const after = await driveGraph(edited, guarded);
    expect([tries, after.state.graph?.state['log']]).toEqual([[], [{ by: 'a' }, { by: 'ann' }]]);
  });
});

describe('a question of a body', () => {
  test('runs nothing of the body before there is an answer: no `catch`, no `finally`, no step', async () => {
    const log: string[] = [];
    const flow = graph('deploy')
      .fn('work', async (_state, c) => {
        try {
          await c.step('deploy', () => void log.push('deploy'));
          const healthy = await c.ask({ prompt: 'healthy?' });
          log.push(`healthy: ${JSON.stringify(healthy)}`);
        } catch {
          log.push('catch');
          await c.step('rollback', () => void log.push('rollback'));
        } finally {
          log.push('finally');
        }
      })
      .end('work')
      .build();
    const asked = await startGraph(flow);
    expect([log, openOf(asked.state)]).toEqual([['deploy'], ['question work@1 run']]);
    await driveGraph(decide(asked.state, { action: 'respond', output: true }), flow);
    expect(log).toEqual(['deploy', 'healthy: true', 'finally']);
  });

  test('waits for the steps beside it, and lets no other begin', async () => {
    const log: string[] = [];
    const flow = graph('beside')
      .fn('work', async (_state, c) => {
        const first = c.step('first', async () => {
          await Promise.resolve();
          log.push('first');
        });
        const both = first.then(() => c.step('second', () => void log.push('second')));
        await Promise.all([c.ask({ prompt: 'go on?' }), both]);
      })
      .end('work')
      .build();
    const asked = await startGraph(flow);
    expect([log, openOf(asked.state)]).toEqual([['first'], ['question work@1 run']]);
    const { state } = await driveGraph(decide(asked.state, { action: 'respond', output: true }), flow);
    expect([log, state.ended]).toEqual([['first', 'second'], { type: 'done' }]);
  });

  test('is one of several that are asked at once, also where they come from helpers', async () => {
    const flow = graph('both')
      .fn('work', async (_state, c) => {
        const zones = ['a', 'b'].map(async (zone) => {
          await c.step(`look at ${zone}`, () => zone);
          return c.ask({ prompt: `${zone}?` });
        });
        return { output: await Promise.all(zones) };
      })
      .end('work')
      .build();
    const asked = await startGraph(flow);
    expect(openOf(asked.state)).toEqual(['question work@1 run', 'question work@1 run']);
  });
});

test.for(['k', '__proto__', 'constructor'])(
  'two steps of a body with one key (%s) are a failure',
  async (key) => {
    const flow = graph('steps')
      .fn('work', async (_state, c) => [await c.step(key, () => 1), await c.step(key, () => 2)])
      .end('work')
      .build();
    const { state } = await startGraph(flow);
    expect(state.ended).toMatchObject({
      type: 'failed',
      error: { message: expect.stringContaining(key) as string },
    });
  },
);

test('a step that asks is a failure', async () => {
  const flow = one(async (_state, c) => c.step('k', () => c.ask({ prompt: 'ok?' })));
  const { state } = await startGraph(flow);
  expect(state.ended).toMatchObject({
    type: 'failed',
    error: { message: expect.stringContaining('a step cannot ask') as string },
  });
});
