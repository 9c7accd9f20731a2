import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../src/core/index.js';
import { emptyState, openInterrupts } from '../../src/core/index.js';
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

  test.for(['before', 'after'] as const)('on a name that is no node is refused (%s)', async (phase) => {
    const option = phase === 'before' ? 'interruptBefore' : 'interruptAfter';
    const builder = graph('typo', { [option]: ['deply'] })
      .fn('deploy', () => undefined)
      .end('deploy');
    expect(() => builder.build()).toThrow('there is no node `deply` to stop at; there are: deploy');
    const sound = graph('sound')
      .fn('deploy', () => undefined)
      .end('deploy')
      .build();
    const run = driveGraph(emptyState(), sound, { start: { [phase]: ['deply'] } });
    await expect(run).rejects.toThrow('there is no node `deply`');
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
