import { describe, expect, test } from 'vitest';

import type { JsonValue, RunState } from '../../src/core/index.js';
import { emptyState, openInterrupts } from '../../src/core/index.js';
import type { NodeDefinition } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { MemoryInbox } from '../helpers/memory-inbox.js';
import { decide, driveGraph, openOf, startGraph } from './drive-graph.js';

describe('a map', () => {
  const inner = graph('inner')
    .fn('w', ({ item = null }) => ({ output: `did ${JSON.stringify(item)}` }))
    .end('w')
    .build();
  const map = (worker: NodeDefinition) =>
    graph('m')
      .map('all', { items: () => [1, 2], worker })
      .end('all')
      .build();

  test.for(['shared', 'isolated'] as const)(
    'N7: has the outputs of a graph as its worker (%s)',
    async (state) => {
      const input = ({ item = null }) => ({ item });
      const { state: ended } = await startGraph(map({ kind: 'subgraph', graph: inner, state, input }));
      expect(ended.graph?.state).toEqual({ all: ['did 1', 'did 2'] });
    },
  );

  test('fails by name where a worker only writes to the state, which goes nowhere', async () => {
    const { state } = await startGraph(
      map({
        kind: 'function',
        run: ({ item = null }) => ({ patch: { [`r${JSON.stringify(item)}`]: item } }),
      }),
    );
    expect(state.ended).toMatchObject({
      type: 'failed',
      error: {
        message: expect.stringContaining(
          'item 0 of `all` has no result: its worker returned no output',
        ) as string,
      },
    });
  });

  test('N17: gives an isolated graph its item where nobody says what it begins with', async () => {
    const { state } = await startGraph(map({ kind: 'subgraph', graph: inner }));
    expect(state.graph?.state).toEqual({ all: ['did 1', 'did 2'] });
    const silent = graph('silent')
      .fn('w', () => ({ patch: { seen: true } }))
      .end('w')
      .build();
    const { outcome } = await startGraph(map({ kind: 'subgraph', graph: silent }));
    expect(outcome).toMatchObject({ reason: { type: 'failed' } });
  });

  test('takes no worker with a `result`, which would go nowhere', () => {
    expect(() => map({ kind: 'subgraph', graph: inner, result: (state) => state })).toThrow(
      '`result` in the worker of `all` has no effect',
    );
  });
});

test.for(['timeout', 'effect'])('`%s` is refused where it would do nothing', (option) => {
  const human: NodeDefinition = { kind: 'human', question: () => ({ prompt: 'ok?' }) };
  const builder = graph('g')
    .node('a', { ...human, ...JSON.parse(`{"${option}":50}`) })
    .end('a');
  expect(() => builder.build()).toThrow(`unknown option \`${option}\` of \`a\``);
});

describe('what is sent to a run that failed', () => {
  const paid: JsonValue[] = [];
  const mend = { action: 'update-state', patch: { amount: 10 } } as const;
  function flow(onError: 'ask' | 'fail') {
    paid.length = 0;
    return graph('g')
      .fn(
        'pay',
        ({ amount }) => {
          if (amount === undefined) throw new Error('no amount');
          paid.push(amount);
        },
        { onError, effect: 'none' },
      )
      .end('pay')
      .build();
  }

  test('is taken before the failed node is tried again', async () => {
    const inbox = new MemoryInbox();
    const failed = await driveGraph(emptyState(), flow('fail'), { steering: { inbox } });
    inbox.act(mend);
    const { state } = await driveGraph(failed.state, flow('fail'), { steering: { inbox } });
    expect([paid, state.ended]).toEqual([[10], { type: 'done' }]);
  });

  test('is taken before a person has it tried again, and is taken back with it', async () => {
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const failed = await driveGraph(emptyState(), flow('ask'), { steering });
    expect(openOf(failed.state)).toEqual(['error pay@1 run']);
    inbox.act(mend);
    const { state } = await driveGraph(decide(failed.state, { action: 'retry' }), flow('ask'), { steering });
    expect([paid, state.ended, state.graph?.current?.edits]).toEqual([
      [10],
      { type: 'done' },
      [{ set: {}, unset: ['amount'] }],
    ]);
  });

  test('voids the answers that its body had gone on with', async () => {
    const asks = graph('g')
      .fn(
        'pay',
        async ({ amount = null }, c) => {
          const yes = await c.ask({ prompt: `Pay ${JSON.stringify(amount)}?` });
          await c.step('look', () => 1);
          if (amount === null) throw new Error('no amount');
          return { output: [amount, yes] };
        },
        { effect: 'none' },
      )
      .end('pay')
      .build();
    const inbox = new MemoryInbox();
    const drive = (state: RunState) => driveGraph(state, asks, { steering: { inbox } });
    const asked = await drive(emptyState());
    const failed = await drive(decide(asked.state, { action: 'respond', output: true }));
    inbox.act(mend);
    const again = await drive(failed.state);
    expect(openInterrupts(again.state)).toMatchObject([{ payload: { question: 'Pay 10?' } }]);
  });
});
