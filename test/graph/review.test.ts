import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Model } from '../../src/core/index.js';
import { nodePath, textPart } from '../../src/core/index.js';
import type { Graph, NodeDefinition } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { chooseAction } from '../../src/reasoner/index.js';
import { projectFiles, root } from '../meta/project.js';
import { decide, driveGraph, openOf, pathOf, startGraph } from './drive-graph.js';

const sources = projectFiles().filter((file) => /^(?:src|sessions|commands)\/.*\.ts$/u.test(file));

/** The places in the product that match. */
function placesOf(pattern: RegExp): readonly string[] {
  return sources.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
  );
}

/** One node, and from it an edge to `yes` where the condition holds, else to `no`. */
function asks(when: string, strict = false): Graph {
  return graph('ask', { strict })
    .fn('n', () => undefined)
    .fn('yes', () => 1)
    .fn('no', () => 1)
    .edge('n', 'yes', { when })
    .edge('n', 'no', { priority: 0 })
    .end('yes', 'no')
    .build();
}

function fan(first: NodeDefinition, second: NodeDefinition, onConflict: 'error' | 'last' = 'error'): Graph {
  return graph('fan').group('all', { onConflict, members: { first, second } }).end('all').build();
}

function sets(patch: Record<string, number>): NodeDefinition {
  return { kind: 'function', run: () => ({ patch }) };
}

describe('what a review of graphs found elsewhere', () => {
  test('R-2: nothing private of a package or of Node is read', () => {
    expect(sources.length).toBeGreaterThan(100);
    // `_meta` is a public name of the Model Context Protocol, `z._default` of zod/mini: `default` is a word of the language.
    // A schema that is made late has `_zod`, by which zod knows its schemas, of the one that it makes, and reads nothing in it.
    expect(placesOf(/(?<!this)(?<!^import.*)\._(?!meta\b|default\(|zod;)[a-z]/u)).toEqual([]);
  });

  test('R-3: prose and fenced blocks are no answer of a model; what it calls is, and is checked', async () => {
    const fenced = 'Sure!\n```json\n{"action":"skip"}\n```\n```json\n{"action":"cancel"}\n```';
    const model: Model = {
      id: 'prose',
      async *generate() {
        yield { type: 'reply', reply: { content: [textPart(fenced)], end: 'stop' } };
      },
    };
    const { choice, attempts } = await chooseAction(
      {
        message: { id: 'm1', text: 'hm' },
        point: { phase: 'before', path: nodePath('b@1') },
        offered: ['skip', 'cancel', 'continue'],
        open: [],
        state: {},
        path: ['a@1'],
        nodes: ['a', 'b'],
        problemWith: () => undefined,
      },
      { model },
      new AbortController().signal,
    );
    expect([choice.type, attempts]).toEqual(['pause', 2]);
  });

  test('R-4: going back takes back every key that a node wrote, whatever it is called', async () => {
    const flow = graph('g', { interruptAfter: ['b'], reducers: { list: 'append', sum: 'sum' } })
      .fn('a', () => ({ patch: { kept: 1, over: 'a', gone: true, list: ['a'], sum: 1 } }))
      .fn(
        'b',
        () => ({ output: 'B', patch: { over: 'b', made: null, list: ['b'], sum: 2 }, unset: ['gone'] }),
        {
          outputKey: 'elsewhere',
        },
      )
      .edge('a', 'b')
      .end('b')
      .build();
    const { state } = await startGraph(flow);
    expect(state.graph?.state).toEqual({
      kept: 1,
      over: 'b',
      list: ['a', 'b'],
      sum: 3,
      made: null,
      elsewhere: 'B',
    });
    const back = decide(state, { action: 'go-back', to: 'b' });
    expect(back.graph?.state).toEqual({ kept: 1, over: 'a', gone: true, list: ['a'], sum: 1 });
  });

  test.for<[string, boolean]>([
    ['len(state.items) == 2', true],
    ['len(state.text) == 3', true],
    ['len(state.object) == 1', true],
    ['len(state.none) == 0 and len(state.missing) == 0', true],
    ['state.n > -1', true],
    ['-state.n == 0', true],
  ])('R-5: `%s` is %s', async ([when, expected]) => {
    const set = { items: [1, 2], text: 'abc', object: { a: 1 }, none: null, n: 0 };
    const { state } = await startGraph(asks(when), { start: { set } });
    expect(pathOf(state)).toBe(expected ? 'n@1 yes@1' : 'n@1 no@1');
  });

  test.for([
    'state.constructor("x")',
    'state.get("x")',
    'eval("1")',
    'process.exit()',
    'state.x = 1',
    '() => 1',
  ])('R-6: `%s` is refused when the graph is built', (when) => {
    expect(() => asks(when)).toThrow(expect.objectContaining({ code: 'BAD_GRAPH' }));
  });

  test.for(['state.constructor', 'state.__proto__', 'state["prototype"]', 'state.toString'])(
    'R-6: `%s` is nothing',
    async (name) => {
      expect(pathOf((await startGraph(asks(`${name} == null`))).state)).toBe('n@1 yes@1');
    },
  );

  test.for([
    ['first', fan(sets({ x: 1 }), sets({ y: 2 }))],
    ['second', fan(sets({ y: 2 }), sets({ x: 1 }))],
  ] as const)(
    'R-8: what one branch changed is not overwritten by a copy of another (%s)',
    async ([, flow]) => {
      const { state } = await startGraph(flow, { start: { set: { x: 0, y: 0 } } });
      expect(state.graph?.state).toEqual({ x: 1, y: 2 });
    },
  );

  test('R-8: two values for one key are an error, or whoever was declared last', async () => {
    const { state } = await startGraph(fan(sets({ x: 1 }), sets({ x: 2 })));
    expect([state.graph?.state, state.ended?.type]).toEqual([{}, 'failed']);
    const last = await startGraph(fan(sets({ x: 1 }), sets({ x: 2 }), 'last'));
    expect(last.state.graph?.state).toEqual({ x: 2 });
  });

  test('R-9: no loop takes from the front of a list that sessions make long', () => {
    const shifting = placesOf(/\.(?:shift\(\)|splice\(0, 1\))/u).map((place) => place.split(':')[0]);
    // Lists that are short by their nature: parts of a path, and keys that were typed.
    const short = [
      'src/core/answer/path-steps.ts',
      'src/human/',
      'src/render/',
      'src/screen/',
      'src/testing/',
      'commands/demo-agent/',
    ];
    expect(shifting.filter((file) => !short.some((name) => file?.startsWith(name)))).toEqual([]);
  });

  test('R-10: the final state is one object, whatever was waited for on the way', async () => {
    const flow = graph('g', { interruptBefore: ['b'] })
      .fn('a', () => '{"n": 1}')
      .fn('b', () => ({ n: 2 }))
      .edge('a', 'b')
      .end('b')
      .build();
    const first = await startGraph(flow);
    const { state, outcome } = await driveGraph(decide(first.state, { action: 'continue' }), flow);
    expect(state.graph?.state).toEqual({ a: '{"n": 1}', b: { n: 2 } });
    expect(outcome.state.graph?.state).toEqual(state.graph?.state);
  });

  test('R-11: equal values of two branches are no conflict, also deep ones', async () => {
    const same: NodeDefinition = { kind: 'function', run: () => ({ patch: { x: { deep: [1, null] } } }) };
    const { state, events } = await startGraph(fan(same, { ...same }));
    expect([state.graph?.state, events.filter(({ type }) => type === 'conflict-found')]).toEqual([
      { x: { deep: [1, null] } },
      [],
    ]);
  });

  test('case 9, R-13: a condition that cannot be evaluated is told, and does not match', async () => {
    const set = { a: 1 };
    const { state, events } = await startGraph(asks('state.a < "x"'), { start: { set } });
    expect([pathOf(state), events.filter(({ type }) => type === 'edge-failed')]).toEqual([
      'n@1 no@1',
      [{ type: 'edge-failed', node: 'n', visit: 1, to: 'yes', message: expect.any(String) }],
    ]);
  });

  test('case 9, R-13: in a strict graph it ends the run', async () => {
    const { state } = await startGraph(asks('state.a < "x"', true), { start: { set: { a: 1 } } });
    expect([pathOf(state), openOf(state), state.ended]).toMatchObject([
      'n@1',
      [],
      { type: 'failed', error: { code: 'BAD_GRAPH', message: expect.stringContaining('n → yes') } },
    ]);
  });
});
