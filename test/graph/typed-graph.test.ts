import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { typedGraph } from '../../src/graph/index.js';
import { startGraph } from './drive-graph.js';

const State = z.object({
  count: z.number().default(0),
  double: z.number().optional(),
  words: z.array(z.string()).optional(),
});

const counting = () => typedGraph('g', State).fn('count', (state) => state.count + 1);

describe('N13: a graph whose state has a schema', () => {
  test('gives its nodes and edges the state with its type', async () => {
    const flow = counting()
      .fn('double', (state) => ({ output: state.count * 2, patch: { words: ['done'] } }))
      .edge('count', 'count', { when: (state) => state.count < 3 })
      .edge('count', 'double', { priority: 0 })
      .end('double')
      .build();
    expect((await startGraph(flow)).state.graph?.state).toEqual({ count: 3, double: 6, words: ['done'] });
  });

  test('fails a node where what was written to the state does not fit', async () => {
    const flow = counting().end('count').build();
    const { outcome } = await startGraph(flow, { start: { set: { count: 'three' } } });
    expect(outcome).toMatchObject({ reason: { type: 'failed' } });
    expect(JSON.stringify(outcome)).toContain('the state does not fit: count: Invalid input');
  });

  test('does not compile with a typo', () => {
    const typos = [
      // @ts-expect-error -- no node is called so
      () => counting().edge('count', 'dubble'),
      // @ts-expect-error -- no node is called so
      () => counting().end('cuont'),
      // @ts-expect-error -- no key of the state is called so
      () => counting().fn('a', (state) => state.cuont),
      // @ts-expect-error -- no member of a result is called so
      () => counting().fn('a', () => ({ ouput: 1 })),
      // @ts-expect-error -- the key of that name is a number
      () => counting().fn('double', () => 'two'),
      // @ts-expect-error -- `count` is a number
      () => counting().fn('a', () => ({ patch: { count: 'two' } })),
    ];
    expect(typos).toHaveLength(6);
  });
});
