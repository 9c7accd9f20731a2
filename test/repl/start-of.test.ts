import { expect, test } from 'vitest';

import type { SessionEvent } from '../../src/core/index.js';
import type { GraphStart } from '../../src/graph/index.js';
import { graph, workflow } from '../../src/graph/index.js';
import { startOf } from '../../src/repl/index.js';
import { startGraph } from '../graph/drive-graph.js';
import { ANN } from '../helpers/events.js';

const startIn = (events: readonly SessionEvent[]) => startOf(events.map((event) => ({ event })));

const inner = graph('inner')
  .fn('b', () => 1)
  .end('b')
  .build();
const flow = graph('outer')
  .fn('a', () => 1)
  .subgraph('in', { graph: inner })
  .edge('a', 'in')
  .end('in')
  .build();
const code = workflow('release', { gates: { ship: 'before' } }, async (ctx) => ctx.step('ship', () => 1));

test.each<readonly [string, typeof flow, GraphStart, GraphStart]>([
  [
    'its state, chance, bound and gates',
    flow,
    { set: { x: 1 }, seed: 7, maxIterations: 9, before: ['in'] },
    { set: { x: 1 }, seed: 7, maxIterations: 9, before: ['in'], after: [] },
  ],
  [
    'every gate',
    flow,
    { before: '*', after: ['a'] },
    { set: {}, seed: 1, maxIterations: 50, before: '*', after: ['a'] },
  ],
  [
    'the gates of its code',
    code,
    { set: { input: 'x' }, before: ['test'] },
    { set: { input: 'x' }, seed: 1, maxIterations: 50, before: ['ship', 'test'], after: [] },
  ],
])(
  'N4: another run of a workflow begins with what the first began with: %s',
  async (_what, one, start, kept) => {
    const { events } = await startGraph(one, { start });
    expect(startIn(events)).toEqual(kept);
  },
);

test('N4: what a person moved a run to counts in another run of it, and a chat has nothing to run again', async () => {
  const { events } = await startGraph(flow, { start: { set: { x: 1 } } });
  const [started] = events;
  if (started?.type !== 'graph-started' || started.outline === undefined) throw new Error('it did not start');
  const { hash, outline, reducers } = started;
  const moved: SessionEvent = {
    ...{ type: 'graph-migrated', hash, outline, reducers },
    ...{ before: ['a'], after: ['in'], by: ANN },
  };
  expect(startIn([...events, moved])).toMatchObject({ set: { x: 1 }, before: ['a'], after: ['in'] });
  expect(startIn(events.filter(({ type }) => type !== 'graph-started'))).toBeUndefined();
});
