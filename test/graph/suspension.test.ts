import { expect, test } from 'vitest';

import { emptyState, fold, Suspension } from '../../src/core/index.js';
import { graph, runGraph } from '../../src/graph/index.js';
import { calls, names, scene, tool } from '../engine/drive.js';
import { driveGraph } from './drive-graph.js';

test('a graph that is suspended in a tool of an agent goes on with it, and the agent hears what came of it', async () => {
  const stop = new AbortController();
  let entered = 0;
  const work = tool(
    'work',
    (_input, { signal }) => {
      entered += 1;
      if (entered > 1) return 'worked';
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('as told'));
        });
        setImmediate(() => {
          stop.abort(new Suspension('stopped by SIGTERM'));
        });
      });
    },
    { effect: 'none' },
  );
  const run = scene({ replies: [calls(['work']), 'the report'], tools: [work] });
  const flow = graph('g')
    .agent('a', { prompt: () => 'go' })
    .end('a')
    .build();
  let state = emptyState();
  const steps = runGraph(state, flow, { run }, stop.signal);
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done === true) {
      expect(step.value).toMatchObject({ type: 'ended', reason: { type: 'aborted' } });
      break;
    }
    if (step.value.durable) state = fold(step.value.events, state);
  }
  expect(state.ended).toBeUndefined();
  const next = await driveGraph(state, flow, { run });
  expect(names(next.events)).toEqual([
    'run-continued',
    'started r1#2',
    'settled r1 output',
    'model-started',
    'model',
    'ended done',
    'node-settled',
    'ended done',
  ]);
  expect(next.state.graph?.state).toEqual({ a: 'the report' });
});
