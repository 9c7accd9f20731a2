import { readFileSync } from 'node:fs';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';

import type { JsonValue, SessionEvent } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import { evaluateRun } from '../../src/graph/evaluate-run.js';
import { readExpectations } from '../../src/graph/evaluate-run.js';
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

describe('what a run did', () => {
  test.for<[readonly string[], 'pass' | 'fail']>([
    [['a', 'b', 'c', 'd'], 'pass'],
    [['a', 'x', 'c', 'd'], 'fail'],
    [['a', 'b', 'c'], 'fail'],
    [['a', 'b', 'c', 'd', 'd'], 'fail'],
  ])('case 99: a run is compared with the path %j: %s', async ([path, verdict]) => {
    const actual = ['a', 'b', 'c', 'd'];
    const scores = [{ metric: 'path', verdict, actual }];
    expect(evaluateRun(await wentBack(), { path })).toEqual({ scores, verdict });
  });

  test('case 99: a run of which nothing is expected passes', async () => {
    expect(evaluateRun(await wentBack(), {})).toEqual({ scores: [], verdict: 'pass' });
  });

  test('a run is compared with the keys of the state that are expected', async () => {
    const events = await wentBack();
    const actual = { a: 1, b: { deep: [2] } };
    expect(evaluateRun(events, { state: actual }).scores).toEqual([
      { metric: 'state', verdict: 'pass', actual },
    ]);
    expect(evaluateRun(events, { state: { a: 1, no: null } }).scores).toEqual([
      { metric: 'state', verdict: 'fail', actual: { a: 1 } },
    ]);
  });

  test('a run fails where one expectation is not met', async () => {
    const expected = { path: ['a', 'b', 'c', 'd'], state: { a: 2 } };
    expect(evaluateRun(await wentBack(), expected)).toMatchObject({ verdict: 'fail' });
  });
});

describe('expectations in a file', () => {
  const schema = new URL('../../schemas/expectations.schema.json', import.meta.url);
  const fits = new Ajv2020().compile(JSON.parse(readFileSync(schema, 'utf8')));

  test('expectations are read as they are written, without the schema for editors', () => {
    const written = { path: ['a'], state: { a: null } };
    expect(readExpectations(written)).toEqual(written);
    expect(readExpectations({ $schema: 'expectations.schema.json', ...written })).toEqual(written);
    expect(readExpectations({})).toEqual({});
    expect([written, { $schema: 'x', ...written }, {}].map((one) => fits(one))).toEqual([true, true, true]);
  });

  test.for<[string, JsonValue]>([
    ['not an object', []],
    ['unknown property `paths`', { paths: [] }],
    ['`path` is not a list of names', { path: 'a' }],
    ['`path` is not a list of names', { path: ['a', 1] }],
    ['`state` is not an object', { state: 1 }],
  ])('expectations are refused where %s, and the published schema refuses them too', ([why, value]) => {
    expect(fits(value)).toBe(false);
    expect(() => readExpectations(value)).toThrow(`invalid expectations: ${why}`);
  });
});
