import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { emptyState, openInterrupts } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { graph, graphFromFile } from '../../src/graph/index.js';
import { decide, driveGraph, pathOf, startGraph } from './drive-graph.js';

function made(output: unknown, more: Parameters<ReturnType<typeof graph>['fn']>[2] = {}): Graph {
  return graph('g')
    .fn('a', () => ({ output: output as string }), more)
    .end('a')
    .build();
}

const number = { type: 'number', minimum: 1 } as const;

const FORMS = {
  'a graph that code builds': (output: unknown): Promise<Graph> =>
    Promise.resolve(
      made(output, { outputSchema: z.number().min(1), inputSchema: z.object({ n: z.number() }) }),
    ),
  'a graph file': (output: unknown): Promise<Graph> =>
    graphFromFile(
      JSON.stringify({
        name: 'g',
        end: 'a',
        nodes: {
          a: {
            kind: 'function',
            run: 'a',
            outputSchema: number,
            inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
          },
        },
      }),
      { file: 'g.json' },
      { functions: { a: () => ({ output: output as string }) } },
    ),
};

describe.each(Object.entries(FORMS))('the schemas of a node in %s', (_form, build) => {
  test('let through what fits', async () => {
    const { state } = await startGraph(await build(7), { start: { set: { n: 1 } } });
    expect({ ended: state.ended, state: state.graph?.state }).toEqual({
      ended: { type: 'done' },
      state: { n: 1, a: 7 },
    });
  });

  test.each([['text'], [0], [undefined]])(
    'fail the node whose output is %j, and put nothing into the state',
    async (output) => {
      const { state } = await startGraph(await build(output), { start: { set: { n: 1 } } });
      expect(state.graph?.state).toEqual({ n: 1 });
      expect(state.ended).toMatchObject({
        type: 'failed',
        error: { message: expect.stringContaining('the output of `a` is invalid') as string },
      });
    },
  );

  test('fail the node that begins with something else, before its body runs', async () => {
    const { state, events } = await startGraph(await build(7), { start: { set: { n: 'x' } } });
    expect(events.map(({ type }) => type)).not.toContain('node-settled');
    expect(state.ended).toMatchObject({
      type: 'failed',
      error: { message: expect.stringContaining('the input of `a` is invalid: n: ') as string },
    });
  });
});

describe('the schemas of a node', () => {
  test('hold for an output that a person gives in its place', async () => {
    const flow = made('text', { outputSchema: z.number(), onError: 'ask' });
    const failed = await startGraph(flow);
    expect(openInterrupts(failed.state)).toMatchObject([{ kind: 'error' }]);
    const wrong = await driveGraph(decide(failed.state, { action: 'respond', output: 'more text' }), flow);
    expect(openInterrupts(wrong.state)).toMatchObject([{ kind: 'error' }]);
    const right = await driveGraph(decide(wrong.state, { action: 'respond', output: 5 }), flow);
    expect({ state: right.state.graph?.state, path: pathOf(right.state) }).toEqual({
      state: { a: 5 },
      path: 'a@1',
    });
  });

  test('cannot be ones whose checks take time', async () => {
    const slow = { '~standard': { validate: () => Promise.resolve({ value: 1 }) } };
    const { state } = await driveGraph(emptyState(), made(1, { outputSchema: slow }));
    expect(state.ended).toMatchObject({
      error: { message: expect.stringContaining('its schema has asynchronous checks') as string },
    });
  });

  test('that are none are refused with their place when a file is read', async () => {
    const text =
      'name: g\nend: a\nnodes:\n  a: { kind: function, run: a, outputSchema: { type: nonsense } }\n';
    await expect(graphFromFile(text, { file: 'g.yaml' }, { functions: { a: () => 1 } })).rejects.toThrow(
      'outputSchema: not a valid JSON Schema',
    );
  });
});

test('T18 an output that the pattern of a graph file takes for ever to judge fails its node', async () => {
  const file = {
    name: 'g',
    end: 'a',
    nodes: { a: { kind: 'function', run: 'a', outputSchema: { type: 'string', pattern: '^(a+)+$' } } },
  };
  const flow = await graphFromFile(
    JSON.stringify(file),
    { file: 'g.json' },
    { functions: { a: () => ({ output: `${'a'.repeat(50)}b` }) } },
  );
  const { state } = await startGraph(flow, {});
  expect(state.ended).toMatchObject({
    type: 'failed',
    error: { message: expect.stringContaining('a pattern in its schema takes longer than 100 ms') as string },
  });
});
