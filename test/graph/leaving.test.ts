import { describe, expect, test } from 'vitest';

import { emptyState, fold, HitlError } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { graph, runGraph } from '../../src/graph/index.js';
import { calls, scene, tool } from '../engine/drive.js';

/** A run of an agent whose tool tells of itself and works until it is told to stop; `stopped` names it then. */
function working(build: (agent: { prompt: () => string }) => Graph) {
  const stopped: string[] = [];
  const look = tool('look', async (_input, { signal, progress }) => {
    progress('on my way');
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    stopped.push('look');
    return 1;
  });
  const run = scene({ replies: [calls(['look'])], tools: [look] });
  const flow = build({ prompt: () => 'look' });
  return { steps: runGraph(emptyState(), flow, { run }, new AbortController().signal), stopped };
}

async function untilProgress(steps: ReturnType<typeof runGraph>): Promise<void> {
  for (let step = await steps.next(); step.done !== true; step = await steps.next()) {
    if (!step.value.durable && step.value.event.type === 'tool-progress') return;
  }
  throw new Error('the tool told nothing');
}

describe.for<[string, (agent: { prompt: () => string }) => Graph]>([
  ['an agent', (agent) => graph('g').agent('a', agent).end('a').build()],
  [
    'an agent in a branch',
    (agent) =>
      graph('g')
        .group('all', { members: { a: { kind: 'agent', ...agent } } })
        .end('all')
        .build(),
  ],
])('a consumer that leaves in the middle of the tools of %s', ([, build]) => {
  test('stops them, and is kept until they have stopped (R3)', async () => {
    const { steps, stopped } = working(build);
    await untilProgress(steps);
    await steps.return({ type: 'ended', reason: { type: 'aborted' }, state: emptyState() });
    expect(stopped).toEqual(['look']);
  });

  test('by throwing gets its own error back, after they have stopped', async () => {
    const { steps, stopped } = working(build);
    await untilProgress(steps);
    const disk = new HitlError('SAVE_FAILED', 'disk full');
    await expect(steps.throw(disk)).rejects.toBe(disk);
    expect(stopped).toEqual(['look']);
  });
});

test('a consumer that keeps a fold of its own hands its state over', async () => {
  const flow = graph('g')
    .fn('a', () => ({ patch: { x: 1 } }))
    .group('b', { members: { c: { kind: 'function', run: ({ x }) => ({ patch: { x: Number(x) + 1 } }) } } })
    .edge('a', 'b')
    .end('b')
    .build();
  let state = emptyState();
  const steps = runGraph(state, flow, { run: scene() }, new AbortController().signal);
  for (let step = await steps.next(state); ; step = await steps.next(state)) {
    if (step.done === true) {
      expect(step.value.state).toBe(state);
      break;
    }
    if (step.value.durable) state = fold(step.value.events, state);
  }
  expect([state.ended, state.graph?.state]).toEqual([{ type: 'done' }, { x: 2 }]);
});
