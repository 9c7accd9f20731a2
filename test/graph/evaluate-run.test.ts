import { describe, expect, test } from 'vitest';

import type { JsonValue, SessionEvent } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import type { Expectations } from '../../src/graph/evaluate/expectations.js';
import { evaluateRun } from '../../src/graph/evaluate/evaluate-run.js';
import { readExpectations } from '../../src/graph/evaluate/expectations.js';
import { graph } from '../../src/graph/index.js';
import { ANN, AT } from '../helpers/events.js';
import { decide, driveGraph, startGraph } from './drive-graph.js';

/** A run of a, b, c, d with a gate before b, where somebody went back to a once. */
async function wentBack(): Promise<readonly SessionEvent[]> {
  const flow = graph('g', { interruptBefore: ['b'] })
    .fn('a', () => 1)
    .fn('b', () => ({ output: { deep: [2] } }))
    .fn('c', () => 3)
    .fn('d', () => 4)
    .edge('a', 'b')
    .edge('b', 'c')
    .edge('c', 'd')
    .end('d')
    .build();
  const events: SessionEvent[] = [];
  let { state, events: told } = await startGraph(flow);
  events.push(...told);
  for (const action of ['go-back', 'continue'] as const) {
    const [open] = openInterrupts(state);
    if (open === undefined) throw new Error('nothing is open');
    const { id, digest } = open;
    const resolution = { action };
    events.push({ type: 'interrupt-resolved', id, digest, resolution, by: ANN, resolvedAt: AT });
    ({ state, events: told } = await driveGraph(decide(state, resolution), flow));
    events.push(...told);
  }
  return events;
}

function scoreOf(events: readonly SessionEvent[], expected: Expectations) {
  return evaluateRun(events, expected).scores.filter(({ verdict }) => verdict !== 'not-evaluated');
}

describe('what a run did', () => {
  test.for<[number, Expectations['path'] & object, 'pass' | 'fail']>([
    [1, { nodes: ['a', 'b', 'c', 'd'] }, 'pass'],
    [0.75, { nodes: ['a', 'x', 'c', 'd'] }, 'fail'],
    [0.75, { nodes: ['a', 'x', 'c', 'd'], mode: 'score', atLeast: 0.5 }, 'pass'],
    [0.75, { nodes: ['a', 'b', 'c'] }, 'fail'],
    [1, { nodes: ['a', 'b'], mode: 'prefix' }, 'pass'],
    [0.5, { nodes: ['a', 'c'], mode: 'prefix' }, 'fail'],
    [1, { nodes: ['a', 'd'], mode: 'subsequence' }, 'pass'],
    [0.5, { nodes: ['d', 'a'], mode: 'subsequence' }, 'fail'],
  ])('case 99: scores %d for the path %j', async ([value, path, verdict]) => {
    const actual = ['a', 'b', 'c', 'd'];
    expect(scoreOf(await wentBack(), { path })).toEqual([{ metric: 'path', verdict, value, actual }]);
  });

  test('case 99: is not evaluated where nothing is expected', async () => {
    const metrics = ['path', 'state', 'counts', 'interrupts', 'actions'];
    expect(evaluateRun(await wentBack(), {})).toEqual({
      scores: metrics.map((metric) => ({ metric, verdict: 'not-evaluated' })),
      verdict: 'not-evaluated',
    });
  });

  test('is scored by the state, the counts, what was asked and what was answered', async () => {
    const events = await wentBack();
    expect(scoreOf(events, { state: { a: 1, b: { deep: [2] } } })).toEqual([
      { metric: 'state', verdict: 'pass', value: 1, actual: { a: 1, b: { deep: [2] } } },
    ]);
    expect(scoreOf(events, { state: { a: 1, no: null } })).toEqual([
      { metric: 'state', verdict: 'fail', value: 0.5, actual: { a: 1 } },
    ]);
    expect(scoreOf(events, { counts: { a: 1, d: 1, x: 0 } })).toEqual([
      { metric: 'counts', verdict: 'pass', value: 1, actual: { a: 1, d: 1, x: 0 } },
    ]);
    expect(scoreOf(events, { interrupts: ['gate b', 'gate'] })).toEqual([
      { metric: 'interrupts', verdict: 'pass', value: 1, actual: ['gate b', 'gate'] },
    ]);
    expect(scoreOf(events, { interrupts: 1 })).toEqual([
      { metric: 'interrupts', verdict: 'fail', value: 0, actual: ['gate b', 'gate b'] },
    ]);
    expect(scoreOf(events, { actions: ['go-back', 'continue'] })).toEqual([
      { metric: 'actions', verdict: 'pass', value: 1, actual: ['go-back', 'continue'] },
    ]);
  });

  test('is a mean, and a failure where one metric failed', async () => {
    const expected = { path: { nodes: ['a', 'b', 'c', 'd'] }, state: { a: 1, no: null } };
    expect(evaluateRun(await wentBack(), expected)).toMatchObject({ verdict: 'fail', value: 0.75 });
  });
});

describe('expectations in a file', () => {
  test('are read as they are written', () => {
    const written = { path: ['a'], state: { a: null }, counts: { a: 2 }, interrupts: 0, actions: [] };
    expect(readExpectations(written)).toEqual({ ...written, path: { nodes: ['a'] } });
    expect(readExpectations({ path: { nodes: [], mode: 'prefix' } })).toEqual({
      path: { nodes: [], mode: 'prefix', atLeast: 1 },
    });
  });

  test.for<[string, JsonValue]>([
    ['they are no object', []],
    ['`paths` is none of them', { paths: [] }],
    ['`path` is no list of names', { path: 'a' }],
    ['`path.nodes` is no list of names', { path: {} }],
    ['`path.mode` is none of exact, prefix, subsequence, score', { path: { nodes: [], mode: 'x' } }],
    ['`path.atLeast` is no number from 0 to 1', { path: { nodes: [], atLeast: 2 } }],
    ['`state` is no object', { state: 1 }],
    ['`counts` is no object', { counts: [] }],
    ['`counts.a` is no count', { counts: { a: -1 } }],
    ['`interrupts` is no list of names', { interrupts: 1.5 }],
    ['`actions` is no list of names', { actions: [1] }],
  ])('are refused where %s', ([why, value]) => {
    expect(() => readExpectations(value)).toThrow(`the expectations cannot be read: ${why}`);
  });
});
