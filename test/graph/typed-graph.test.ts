import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { graph } from '../../src/graph/index.js';
import { startGraph } from './drive-graph.js';

const State = z.object({
  count: z.number().default(0),
  double: z.number().optional(),
  words: z.array(z.string()).optional(),
});

const counting = () => graph('g', { state: State }).fn('count', (state) => state.count + 1);

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
    expect(JSON.stringify(outcome)).toContain('the state is invalid: count: Invalid input');
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
      // @ts-expect-error -- no key of the state is called so
      () => counting().agent('a', { prompt: (state) => state.cuont }),
      // @ts-expect-error -- no key of the state is called so
      () => counting().edge('count', 'count', { when: (state) => state.cuont > 1 }),
      // @ts-expect-error -- an output is kept under the name of its node
      () => counting().fn('a', () => 1, { outputKey: 'count' }),
      // @ts-expect-error -- a node is declared before it is named
      () => graph('g', { state: State }).start('count'),
    ];
    expect(typos).toHaveLength(10);
  });

  test('gives every kind of node the state with its type', async () => {
    const words = graph('words')
      .fn('words', ({ first = '' }) => [first])
      .end('words')
      .build();
    const flow = counting()
      .choose('word', {
        select: (state) => (state.count > 0 ? 'some' : 'none'),
        candidates: {
          some: { kind: 'function', run: () => ({ output: 'some', patch: { words: ['one'] } }) },
          none: { kind: 'function', run: () => 'none' },
        },
      })
      .map('lengths', {
        items: (state) => state.words ?? [],
        worker: { kind: 'function', run: ({ item }) => (typeof item === 'string' ? item.length : 0) },
        reduce: (lengths, state) => [...lengths, state.count],
      })
      .subgraph('inner', {
        graph: words,
        state: 'isolated',
        input: (state) => ({ first: `${state.words?.[0] ?? ''}!` }),
        result: ({ words: found = [] }) => ({ words: found }),
      })
      .edge('count', 'word')
      .edge('word', 'lengths')
      .edge('lengths', 'inner')
      .end('inner')
      .build();
    const { state } = await startGraph(flow);
    expect(state.graph?.state).toMatchObject({ word: 'some', lengths: [3, 1], words: ['one!'] });
  });
});

describe('a graph whose state has a type alone', () => {
  interface Trip {
    readonly city: string;
    readonly nights?: number;
  }
  const trip = () => graph<Trip>('trip').fn('nights', (state) => state.city.length);

  test('takes the state as it is', async () => {
    const flow = trip().end('nights').build();
    const { state } = await startGraph(flow, { start: { set: { city: 'Oslo', more: true } } });
    expect(state.graph?.state).toEqual({ city: 'Oslo', more: true, nights: 4 });
  });

  test('does not compile with a typo', () => {
    const typos = [
      // @ts-expect-error -- no node is called so
      () => trip().end('nihgts'),
      // @ts-expect-error -- no key of the state is called so
      () => trip().fn('a', (state) => state.town),
      // @ts-expect-error -- the key of that name is a number
      () => graph<Trip>('trip').fn('nights', () => 'two'),
    ];
    expect(typos).toHaveLength(3);
  });
});

describe('a graph whose state has no type', () => {
  test('takes edges before their nodes, names that are made, and any result', async () => {
    const builder = graph('g').edge('n0', 'n1').start('n0');
    for (const at of [0, 1])
      builder.fn(`n${at}`, ({ n0 = null }) => ({ output: [n0] }), { outputKey: `n${at}` });
    const flow = builder.end('n1').build();
    expect((await startGraph(flow)).state.graph?.state).toEqual({ n0: [null], n1: [[null]] });
  });

  test('says what is missing to a caller without a compiler', () => {
    const missing = undefined as never;
    const all = ['tool', 'human', 'choose', 'map', 'subgraph'] as const;
    for (const kind of all)
      expect(() => graph('g')[kind]('a', missing).end('a').build()).toThrow(/of `a` is missing/u);
    expect(graph('g').agent('a', missing).end('a').build().nodes['a']).toEqual({ kind: 'agent' });
  });
});
