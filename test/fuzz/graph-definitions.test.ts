// Graphs that nobody thought through: nodes that are missing or there twice, rings, conditions of any text.
import fc from 'fast-check';
import { expect } from 'vitest';

import { isHitlError, openInterrupts } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { startGraph } from '../graph/drive-graph.js';
import { fuzzTarget } from './fuzz.js';

const NAMES = ['a', 'b', 'c', 'd', 'constructor', 'x y', ''];
const CONDITIONS = [
  ...['state.a == 1', 'not state.b', 'state.n < 3 and state.a', 'true', 'false', 'state.list[0] == "x"'],
  ...[
    'state.constructor.constructor',
    'process.exit(1)',
    '__proto__',
    'state["__proto__"]',
    'globalThis',
    'state.a ==',
    '',
  ],
  ...['(() => { for (;;); })()', 'a'.repeat(5000), `${'('.repeat(3000)}1`, 'not '.repeat(3000)],
];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly when: string | undefined;
  readonly priority: number;
}

interface Plan {
  readonly nodes: readonly string[];
  readonly edges: readonly Edge[];
  readonly ends: readonly string[];
}

const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
  { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
);
const condition = fc.option(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...CONDITIONS.slice(0, 6)) },
    { weight: 2, arbitrary: fc.constantFrom(...CONDITIONS) },
  ),
  {
    nil: undefined,
  },
);

const plans: fc.Arbitrary<Plan> = fc
  .record({
    count: fc.integer({ min: 1, max: 4 }),
    extra: fc.array(name, { maxLength: 1 }),
    edges: fc.array(fc.record({ from: name, to: name, when: condition, priority: fc.nat(3) }), {
      maxLength: 7,
    }),
    ends: fc.array(name, { minLength: 1, maxLength: 2 }),
  })
  .map(({ count, extra, edges, ends }) => {
    const nodes = ['a', 'b', 'c', 'd'].slice(0, count);
    // A way to every node, so that many of the graphs are sound.
    const chain = nodes
      .slice(1)
      .map((to, index): Edge => ({ from: nodes[index]!, to, when: undefined, priority: 1 }));
    const more = extra.filter(() => edges.length % 3 === 0);
    return { nodes: [...nodes, ...more], edges: [...chain, ...edges], ends: [...ends, nodes.at(-1)!] };
  });

/** The graph, or the code of the error. */
function built({ nodes, edges, ends }: Plan): Graph | string {
  try {
    const builder = graph('g', { maxIterations: 12 });
    for (const [index, node] of nodes.entries()) builder.fn(node, () => index);
    for (const { from, to, when, priority } of edges)
      builder.edge(from, to, { priority, ...(when !== undefined && { when }) });
    return builder.end(...new Set(ends)).build();
  } catch (error) {
    if (isHitlError(error)) return error.code;
    throw error;
  }
}

fuzzTarget('graph-definitions', {
  'are refused by name, or run to an end or to their limit, in the same order each time (G17, C-13, C-19)': {
    runs: 200,
    property: () =>
      fc.asyncProperty(plans, async (plan) => {
        const made = built(plan);
        if (typeof made === 'string') {
          expect(made).toBe('BAD_GRAPH');
          return true;
        }
        const { events, outcome, state } = await startGraph(made);
        const again = await startGraph(made);
        expect(again.events).toEqual(events);
        const entered = events.filter(({ type }) => type === 'node-entered').length;
        expect(entered).toBeLessThanOrEqual(13);
        const isWaiting = openInterrupts(state).length > 0;
        expect(isWaiting || outcome.type === 'ended').toBe(true);
        expect(Object.keys(Object.prototype)).toEqual([]);
        return true;
      }),
  },
  'have conditions that reach nothing but the state, whatever their text is (T17)': {
    runs: 200,
    property: () => {
      const word = fc.constantFrom(
        'state',
        '.',
        '[',
        ']',
        '(',
        ')',
        'constructor',
        '__proto__',
        'prototype',
        '"a"',
        '==',
        'and',
        'not',
        '1',
        'process',
        'length',
        ',',
      );
      const text = fc.oneof(
        fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
        fc.string(),
        fc.constantFrom(...CONDITIONS),
      );
      return fc.asyncProperty(text, async (when) => {
        const made = built({
          nodes: ['a', 'b', 'c'],
          edges: [
            { from: 'a', to: 'b', when, priority: 1 },
            { from: 'a', to: 'c', when: undefined, priority: 0 },
          ],
          ends: ['b', 'c'],
        });
        if (typeof made === 'string') return made === 'BAD_GRAPH';
        const { outcome, state } = await startGraph(made);
        expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
        expect(Object.keys(state.graph?.state ?? {})).not.toContain('__proto__');
        expect(Object.keys(Object.prototype)).toEqual([]);
        return true;
      });
    },
  },
});
