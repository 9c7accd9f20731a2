import { expect, test } from 'vitest';

import { emptyState, evolve } from '../../src/core/index.js';
import { graph } from '../../src/graph/index.js';
import { RunLines } from '../../src/render/run-lines.js';
import { createTheme } from '../../src/render/index.js';
import { decide, driveGraph } from '../graph/drive-graph.js';

test('a node that goes on behind an answer is no other attempt; one that is tried again is', async () => {
  let isBroken = true;
  const flow = graph('g')
    .human('review', { question: () => ({ prompt: 'ok?' }) })
    .fn(
      'publish',
      () => {
        if (isBroken) throw new Error('no network');
      },
      { effect: 'none' },
    )
    .edge('review', 'publish')
    .end('publish')
    .build();
  const first = await driveGraph(emptyState(), flow);
  const answered = decide(first.state, { action: 'respond', output: 'yes' });
  const second = await driveGraph(answered, flow);
  isBroken = false;
  const third = await driveGraph(second.state, flow);
  const theme = createTheme({ colour: false });
  const lines = new RunLines({ theme, columns: () => 80, showsFailures: false, showsQuestions: false });
  const told = [
    { from: emptyState(), events: first.events },
    { from: answered, events: second.events },
    { from: second.state, events: third.events },
  ].flatMap(({ from, events }) => {
    let state = from;
    return events.flatMap((event) => {
      state = evolve(state, event);
      return event.type === 'node-started' ? lines.of(event, state) : [];
    });
  });
  expect(told).toEqual(['▸ review', '▸ publish', '▸ publish (attempt 2)']);
});

test('a failure that a node has told is not told a second time at the end', async () => {
  const flow = graph('g')
    .fn('publish', () => {
      throw new Error('no network');
    })
    .end('publish')
    .build();
  const { events } = await driveGraph(emptyState(), flow);
  const lines = new RunLines({
    theme: createTheme({ colour: false }),
    columns: () => 80,
    showsFailures: true,
    showsQuestions: false,
  });
  let state = emptyState();
  const told = events.flatMap((event) => {
    state = evolve(state, event);
    return lines.of(event, state);
  });
  expect(told).toEqual(['▸ publish', '✗ publish: no network', 'error: node `publish` failed']);
});
