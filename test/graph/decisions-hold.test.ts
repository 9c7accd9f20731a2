import { describe, expect, test } from 'vitest';

import type { JsonValue, RunState } from '../../src/core/index.js';
import { answerProblem, emptyState, evolve, openInterrupts } from '../../src/core/index.js';
import { graph } from '../../src/graph/index.js';
import { MemoryInbox } from '../helpers/memory-inbox.js';
import { decide, driveGraph } from './drive-graph.js';

describe('a gate', () => {
  test('holds for the state that it showed: what is sent behind the yes asks again', async () => {
    const paid: JsonValue[] = [];
    const flow = graph('pay')
      .fn('prep', () => ({ patch: { amount: 10 } }))
      .fn('do', (state) => void paid.push(state['amount'] ?? null), { gate: { before: true } })
      .edge('prep', 'do')
      .end('do')
      .build();
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const { state } = await driveGraph(emptyState(), flow, { steering });
    inbox.send('more', { action: { action: 'update-state', patch: { amount: 1_000_000 } } });
    const again = await driveGraph(decide(state, { action: 'continue' }), flow, { steering });
    expect(paid).toEqual([]);
    expect(openInterrupts(again.state)).toMatchObject([
      { kind: 'gate', payload: { state: { amount: 1_000_000 } } },
    ]);
    await driveGraph(decide(again.state, { action: 'continue' }), flow, { steering });
    expect(paid).toEqual([1_000_000]);
  });

  test('accepts no jump to an unknown node', async () => {
    const flow = graph('two')
      .fn('a', () => undefined, { gate: { before: true } })
      .fn('b', () => undefined)
      .edge('a', 'b')
      .end('b')
      .build();
    const { state } = await driveGraph(emptyState(), flow);
    const [gate] = openInterrupts(state);
    const to = (node: string) =>
      answerProblem(state, {
        ...{ id: gate!.id, digest: gate!.digest, by: { type: 'person', name: 'ann', via: 'library' } },
        resolution: { action: 'goto', node },
      });
    expect(to('b')).toBeUndefined();
    expect(to('c')).toEqual({
      kind: 'not-allowed',
      message: expect.stringContaining('unknown node `c`; known nodes: a, b') as string,
    });
  });

  test.for(['before', 'after'] as const)('on a name that is no node is refused (%s)', async (phase) => {
    const option = phase === 'before' ? 'interruptBefore' : 'interruptAfter';
    const builder = graph('typo', { [option]: ['deply'] })
      .fn('deploy', () => undefined)
      .end('deploy');
    expect(() => builder.build()).toThrow('cannot stop at unknown node `deply`; known nodes: deploy');
    const sound = graph('sound')
      .fn('deploy', () => undefined)
      .end('deploy')
      .build();
    const run = driveGraph(emptyState(), sound, { start: { [phase]: ['deply'] } });
    await expect(run).rejects.toThrow('cannot stop at unknown node `deply`');
  });
});

test.for([0, -1, 1.5])('a graph does not run at most %d nodes', (maxIterations) => {
  const builder = graph('x', { maxIterations })
    .fn('a', () => undefined)
    .end('a');
  expect(() => builder.build()).toThrow('`maxIterations`');
});

test('an answer is given to the question that was asked, and not to the one in its place', async () => {
  let prompt = 'Delete?';
  const got: JsonValue[] = [];
  const flow = graph('ask')
    .fn('a', async (_state, context) => {
      got.push(await context.ask({ prompt }));
    })
    .end('a')
    .build();
  const { state } = await driveGraph(emptyState(), flow);
  prompt = 'Keep?';
  const again = await driveGraph(decide(state, { action: 'respond', output: true }), flow);
  expect(got).toEqual([]);
  expect(openInterrupts(again.state)).toMatchObject([{ payload: { question: 'Keep?' } }]);
  await driveGraph(decide(again.state, { action: 'respond', output: false }), flow);
  expect(got).toEqual([false]);
});

test.for(['shared', 'isolated'] as const)(
  'what is sent three graphs deep takes effect there (%s)',
  async (state) => {
    const inbox = new MemoryInbox();
    const inner = graph('inner')
      .fn('sends', () => {
        inbox.send('note', { action: { action: 'defer', note: 'later' } });
      })
      .fn('c', () => ({ output: 1 }))
      .edge('sends', 'c')
      .end('c')
      .build();
    const mid = graph('mid').subgraph('b', { graph: inner, state }).end('b').build();
    const outer = graph('outer').subgraph('a', { graph: mid, state }).end('a').build();
    const { outcome } = await driveGraph(emptyState(), outer, { steering: { inbox } });
    expect([outcome.type, inbox.left]).toEqual(['ended', []]);
  },
);

describe('F6, L15: a node that threw on what it was told', () => {
  /** Asks how many twice: the second time behind a step, and throws on what is no number. */
  function counting(got: JsonValue[], asksBefore: string[] = []) {
    return graph('count')
      .fn(
        'n',
        async (_state, context) => {
          for (const question of asksBefore) {
            got.push(await context.ask({ prompt: question }));
            await context.step(question, () => 1);
          }
          const answer = await context.ask({ prompt: 'How many?' });
          if (typeof answer !== 'number') throw new Error('not a number');
          got.push(answer);
          return { output: answer };
        },
        { effect: 'none', onError: 'ask' },
      )
      .end('n')
      .build();
  }
  const asked = (state: RunState) => openInterrupts(state).map(({ payload }) => payload);
  const QUESTION = expect.objectContaining({ question: 'How many?' }) as unknown;

  test('asks again when a person has it tried again, and does not fail on the kept answer for ever', async () => {
    const got: JsonValue[] = [];
    const flow = counting(got);
    const first = await driveGraph(emptyState(), flow);
    const failed = await driveGraph(decide(first.state, { action: 'respond', output: 'many' }), flow);
    expect(openInterrupts(failed.state)).toMatchObject([{ kind: 'error' }]);
    const again = await driveGraph(decide(failed.state, { action: 'retry' }), flow);
    expect(asked(again.state)).toEqual([QUESTION]);
    await driveGraph(decide(again.state, { action: 'respond', output: 5 }), flow);
    expect(got).toEqual([5]);
  });

  test('keeps the answers with which it went on to a step', async () => {
    const got: JsonValue[] = [];
    const flow = counting(got, ['Sure?']);
    let { state } = await driveGraph(emptyState(), flow);
    for (const output of ['yes', 'many'] as const)
      ({ state } = await driveGraph(decide(state, { action: 'respond', output }), flow));
    expect(openInterrupts(state)).toMatchObject([{ kind: 'error' }]);
    got.splice(0);
    ({ state } = await driveGraph(decide(state, { action: 'retry' }), flow));
    expect([asked(state), got]).toEqual([[QUESTION], ['yes']]);
  });

  test('asks again when its failed run is taken up', async () => {
    const got: JsonValue[] = [];
    const flow = graph('count')
      .fn('n', async (_state, context) => {
        const answer = await context.ask({ prompt: 'How many?' });
        if (typeof answer !== 'number') throw new Error('not a number');
        got.push(answer);
      })
      .end('n')
      .build();
    const first = await driveGraph(emptyState(), flow);
    const failed = await driveGraph(decide(first.state, { action: 'respond', output: 'many' }), flow);
    expect(failed.outcome).toMatchObject({ type: 'ended', reason: { type: 'failed' } });
    const taken = await driveGraph(evolve(failed.state, { type: 'run-continued' }), flow);
    expect(asked(taken.state)).toEqual([QUESTION]);
    await driveGraph(decide(taken.state, { action: 'respond', output: 5 }), flow);
    expect(got).toEqual([5]);
  });
});

describe('a name that means something else', () => {
  const nothing = () => undefined;

  test.for(['constructor', 'prototype', '__proto__'])('is no name of a node: %s', (name) => {
    expect(() => graph('g').fn(name, nothing).end(name).build()).toThrow(`\`${name}\` cannot name a node`);
    const worker = { kind: 'function', run: nothing } as const;
    const members = Object.fromEntries([[name, worker]]);
    const group = graph('g').group('all', { members }).end('all');
    expect(() => group.build()).toThrow(`\`${name}\` in \`all\` is not a valid node name`);
  });

  test.for(['constructor', '__proto__', '_x', 'graph_state'])(
    'is no key that a run begins with: %s',
    async (key) => {
      const flow = graph('g').fn('a', nothing).end('a').build();
      const set = Object.fromEntries([[key, 1]]);
      await expect(driveGraph(emptyState(), flow, { start: { set } })).rejects.toThrow(
        `a run cannot start with \`${key}\``,
      );
      const reducers = Object.fromEntries([[key, 'append' as const]]);
      expect(() => graph('g', { reducers }).fn('a', nothing).end('a').build()).toThrow(
        `the key \`${key}\` in \`reducers\` is reserved`,
      );
      const keeps = graph('g').fn('a', nothing, { outputKey: key }).end('a');
      expect(() => keeps.build()).toThrow(`would go to \`${key}\`, which is reserved`);
    },
  );

  test('is no key that a graph inside of another one begins with', async () => {
    const inner = graph('inner').fn('a', nothing).end('a').build();
    const flow = graph('outer')
      .subgraph('in', { graph: inner, input: () => ({ constructor: 1 }) })
      .end('in')
      .build();
    const { state } = await driveGraph(emptyState(), flow);
    expect(state.ended).toMatchObject({ type: 'failed', error: { code: 'NODE_FAILED' } });
  });
});

test('a reducer that there is none of is refused', () => {
  const reducers = JSON.parse('{"notes":"apend"}') as Record<string, 'append'>;
  const builder = graph('g', { reducers })
    .fn('a', () => undefined)
    .end('a');
  expect(() => builder.build()).toThrow(
    'unknown reducer `apend` for `notes`; known reducers: overwrite, append, sum, merge',
  );
});
