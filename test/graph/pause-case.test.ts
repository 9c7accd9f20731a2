import { expect, test } from 'vitest';

import { openInterrupts } from '../../src/core/index.js';
import { graph } from '../../src/graph/index.js';
import { calls, scene, tool } from '../engine/drive.js';
import { MemoryInbox } from '../helpers/memory-inbox.js';
import { decide, driveGraph, openOf, startGraph } from './drive-graph.js';

test('case 67: a pause lets the tool of an agent finish, waits, and then goes on with the same conversation', async () => {
  const inbox = new MemoryInbox();
  let ran = 0;
  const look = tool('look', () => {
    inbox.sendVerb('pause'); // from another terminal, while it works
    return (ran += 1);
  });
  const flow = graph('g')
    .agent('w', { prompt: () => 'look' })
    .end('w')
    .build();
  const run = scene({ replies: [calls(['look']), 'seen'], tools: [look] });
  const steering = { inbox };
  const first = await startGraph(flow, { run, steering });
  expect([ran, run.model.requests.length, openOf(first.state)]).toEqual([1, 1, ['pause w@1/run']]);
  expect(openInterrupts(first.state)).toMatchObject([{ payload: { by: 'ann' } }]);
  const after = decide(first.state, { action: 'continue' });
  const { state } = await driveGraph(after, flow, { run, steering });
  expect([ran, state.graph?.state, state.ended]).toEqual([1, { w: 'seen' }, { type: 'done' }]);
  expect(run.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'model', 'tool']);
});
