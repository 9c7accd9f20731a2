import { describe, expect, test } from 'vitest';

import type { Graph, NodeDefinition } from '../../src/graph/index.js';
import { drawGraph, graph } from '../../src/graph/index.js';
import { toolSet } from '../../src/tools/index.js';
import { tool } from '../engine/drive.js';
import type { Died } from './drive-graph.js';
import { decide, driveGraph, openOf, startGraph } from './drive-graph.js';
import { hasMermaid, readMermaid } from './readers-of-drawings.js';

const FORMATS = ['text', 'mermaid', 'json'] as const;
const write: NodeDefinition = { kind: 'function', run: () => 1 };
const ask: NodeDefinition = { kind: 'human', question: () => ({ prompt: '?' }) };

const inner = graph('inner')
  .node('first', write)
  .node('last', write)
  .edge('first', 'last', { when: 'state.first == 1' })
  .end('first', 'last')
  .build();

/** A node of every kind. */
const every = graph('every', { interruptBefore: ['send'] })
  .agent('plan', { tools: toolSet([tool('search', () => 1)]) })
  .node('count', write)
  .tool('send', { tool: tool('transfer_money', () => 1), input: () => ({}) })
  .human('review', { question: () => ({ prompt: '?' }), gate: { after: true } })
  .choose('pick', { select: () => 'left', candidates: { left: write, right: write } })
  .group('both', { members: { one: write, two: ask } })
  .map('each', { items: () => [], worker: write })
  .subgraph('nested', { graph: inner })
  .edge('plan', 'count')
  .edge('count', 'send', { when: 'state.count > 1', priority: 2 })
  .edge('count', 'review', { when: () => true, weight: 0.5 })
  .edge('count', 'pick', { priority: 0 })
  .edge('send', 'both')
  .edge('review', 'each')
  .edge('pick', 'nested')
  .edge('both', 'nested')
  .end('nested', 'each')
  .build();

describe('a drawing', () => {
  test.each(FORMATS)('case 94: of every kind of node is the same twice, as %s', (format) => {
    const first = drawGraph(every, { format });
    expect([drawGraph(every, { format }), first.endsWith('\n')]).toEqual([first, true]);
  });

  test.skipIf(!hasMermaid)(
    'case 94: in Mermaid has a shape for every kind, dotted conditions and `else` (skipped without `npm run tools`)',
    async () => {
      const { nodes, edges, clusters } = await readMermaid(drawGraph(every, { format: 'mermaid' }));
      const byId = new Map([...nodes, ...clusters].map(({ id, label }) => [id, label]));
      expect(
        nodes
          .filter(({ id }) => !clusters.some((one) => one.id === id))
          .map(({ label, shape }) => [label, shape]),
      ).toEqual([
        ['🤖 plan', 'stadium'],
        ['🔧 search', 'square'],
        ['count', 'square'],
        ['⏸ 🔧 send: transfer_money', 'square'],
        ['one', 'square'],
        ['two', 'hexagon'],
        ['first', 'square'],
        ['last', 'square'],
        ['review ⏸', 'hexagon'],
        ['each (parallel)', 'lean_right'],
        ['item', 'square'],
        ['pick (dynamic)', 'diamond'],
        ['left', 'square'],
        ['right', 'square'],
        ['start', 'stadium'],
        ['end', 'stadium'],
      ]);
      expect(clusters.map(({ label, nodes: inside }) => [label, inside.map((id) => byId.get(id))])).toEqual([
        ['both (parallel)', ['one', 'two']],
        ['nested (graph)', ['first', 'last']],
      ]);
      const told = edges.map(({ from, to, label, style }) => [byId.get(from), byId.get(to), label, style]);
      expect(told).toEqual(
        expect.arrayContaining([
          ['start', '🤖 plan', '', 'normal arrow_point'],
          ['🤖 plan', '🔧 search', '', 'normal arrow_open'],
          ['🤖 plan', 'count', '', 'normal arrow_point'],
          ['count', '⏸ 🔧 send: transfer_money', 'state.count > 1', 'dotted arrow_point'],
          ['count', 'review ⏸', 'if a function returns true, weight 0.5', 'dotted arrow_point'],
          ['count', 'pick (dynamic)', 'else', 'normal arrow_point'],
          ['pick (dynamic)', 'left', '', 'dotted arrow_open'],
          ['first', 'last', 'state.first == 1', 'dotted arrow_point'],
          ['both (parallel)', 'nested (graph)', '', 'normal arrow_point'],
          ['each (parallel)', 'end', '', 'normal arrow_point'],
        ]),
      );
      expect(told).toHaveLength(16);
    },
  );

  test('case 94: in text is a list from the start on', () => {
    expect(drawGraph(every, { format: 'text' })).toBe(`graph every
  plan  agent with search (start)
      → count
  count  function
      → send  if state.count > 1
      → review  if a function returns true, weight 0.5
      → pick  else
  send  tool transfer_money (stops before)
      → both
  both  group
      │ one  function
      │ two  human
      → nested
  nested  subgraph (end)
      │ first  function (start, end)
      │     → last  if state.first == 1
      │ last  function (end)
  review  human (stops after)
      → each
  each  map (end)
      │ item  function
  pick  choose
      │ left  function
      │ right  function
      → nested
`);
  });

  test('case 94: in JSON has nodes, links and metadata', () => {
    const { nodes, links, metadata } = JSON.parse(drawGraph(every, { format: 'json' }));
    expect(nodes.slice(0, 3)).toEqual([
      { id: 'n1', type: 'agent', name: 'plan', tools: ['search'], start: true },
      { id: 'n3', type: 'function', name: 'count' },
      { id: 'n4', type: 'tool', name: 'send', tools: ['transfer_money'], interruptBefore: true },
    ]);
    expect(nodes).toHaveLength(15);
    expect(nodes.find(({ name }: { name: string }) => name === 'two')).toMatchObject({ parent: 'n6' });
    expect(links.slice(0, 4)).toEqual([
      { source: 'n1', target: 'n3', conditional: false, priority: 1, weight: 1 },
      { source: 'n3', target: 'n4', conditional: true, when: 'state.count > 1', priority: 2, weight: 1 },
      { source: 'n3', target: expect.any(String), conditional: true, priority: 1, weight: 0.5 },
      {
        source: 'n3',
        target: expect.any(String),
        conditional: false,
        fallback: true,
        priority: 0,
        weight: 1,
      },
    ]);
    expect(metadata).toEqual({
      startNode: 'plan',
      endNodes: ['nested', 'each'],
      maxIterations: 50,
      strict: false,
    });
  });

  test.each(FORMATS)('in ASCII has no other sign, as %s', (format) => {
    expect(drawGraph(every, { format, ascii: true })).toMatch(/^[\n -~]*$/u);
  });
});

const HOSTILE = [
  'a"]; click x',
  'a"]\n  n9["b',
  '</text><script>alert(1)</script>',
  'end',
  '`code` #35; &amp; \\N \\"',
  '- item',
  '1. item',
  'style x:#fff; classDef y:#fff;',
  '%%{init: {}}%% ---',
  '} subgraph evil { b -> c',
  '\u001b]0;evil\u0007\u202e\u2028\u{e0041}',
];

describe.each(HOSTILE)('case 95: a node named %j', (name) => {
  // A builder refuses such a name; a graph made by hand need not.
  const hostile: Graph = {
    ...inner,
    name,
    nodes: {
      [name]: write,
      last: { kind: 'tool', tool: { ...tool('x', () => 1), name }, input: () => ({}) },
    },
    edges: { [name]: [{ to: 'last', when: name, priority: 1, weight: 1 }] },
    start: name,
    ends: new Set(['last']),
  };
  test.skipIf(!hasMermaid)('stays one node of Mermaid (skipped without `npm run tools`)', async () => {
    const text = drawGraph(hostile, { format: 'mermaid' });
    const { nodes, edges, clusters } = await readMermaid(text);
    expect(nodes.map(({ id, label }) => [id, label])).toEqual([
      ['n1', name],
      ['n2', `🔧 last: ${name}`],
      ['n0', 'start'],
      ['n00', 'end'],
    ]);
    expect([edges.map(({ from, to, label }) => [from, to, label]), clusters]).toEqual([
      [
        ['n1', 'n2', name],
        ['n0', 'n1', ''],
        ['n2', 'n00', ''],
      ],
      [],
    ]);
  });

  test('shows no raw control in text and JSON', () => {
    const text = drawGraph(hostile, { format: 'text' });
    expect(text.split('\n')).toHaveLength(5);
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
    const json = drawGraph(hostile, { format: 'json' });
    expect(json.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(JSON.parse(json).nodes[0].name).toBe(name);
  });
});

describe('a drawing with a run', () => {
  const loop = graph('loop', { interruptBefore: ['publish'] })
    .fn('draft', (state) => Number(state['draft'] ?? 0) + 1)
    .node('publish', write)
    .node('drop', write)
    .edge('draft', 'draft', { when: 'state.draft < 2', priority: 2 })
    .edge('draft', 'publish', { when: 'state.draft == 2' })
    .edge('draft', 'drop', { priority: 0 })
    .end('publish', 'drop')
    .build();

  test('case 96: marks the node that waits, and shows visits and the edges that were taken', async () => {
    const { state } = await startGraph(loop);
    const frame = state.graph!;
    expect(drawGraph(loop, { format: 'text', state: frame })).toBe(`graph loop
  ✓ draft  function (start)  [done, 2 visits]
      → draft  if state.draft < 2  [taken]
      → publish  if state.draft == 2  [taken]
      → drop  else
  ? publish  function (end, stops before)  [waiting]
    drop  function (end)
`);
    const mermaid = drawGraph(loop, { format: 'mermaid', state: frame });
    expect(mermaid).toContain('linkStyle 0,1 ');
    expect(mermaid).toContain('class n2 waiting');
    const json = JSON.parse(drawGraph(loop, { format: 'json', state: frame }));
    expect([json.nodes[0], json.links[0].taken, json.history]).toEqual([
      {
        id: 'n1',
        type: 'function',
        name: 'draft',
        start: true,
        status: 'done',
        visits: 2,
        executions: [
          { id: 'draft@1', status: 'done', startedAt: expect.any(String) },
          { id: 'draft@2', status: 'done', startedAt: expect.any(String) },
        ],
      },
      1,
      { path: ['draft@1', 'draft@2', 'publish@1'], undone: [], iterations: 3, todos: [] },
    ]);
  });

  test.skipIf(!hasMermaid)(
    'case 96: in Mermaid says visits and what waits (skipped without `npm run tools`)',
    async () => {
      const { state } = await startGraph(loop);
      const { nodes } = await readMermaid(drawGraph(loop, { format: 'mermaid', state: state.graph! }));
      expect(nodes.map(({ label }) => label).slice(0, 3)).toEqual([
        'draft<br/>done, 2 visits',
        '⏸ publish<br/>waiting',
        'drop',
      ]);
    },
  );

  test('tells what was skipped, and what was undone', async () => {
    const { state } = await startGraph(loop);
    const skipped = await driveGraph(decide(state, { action: 'skip' }), loop);
    expect(drawGraph(loop, { format: 'text', state: skipped.state.graph! })).toContain(
      '» publish  function (end, stops before)  [skipped]',
    );
    const back = decide(state, { action: 'go-back', to: 'draft' });
    const text = drawGraph(loop, { format: 'text', state: back.graph! });
    expect(text).toContain('↶ draft  function (start)  [undone, 2 visits]');
    expect(text).toContain('→ publish  if state.draft == 2\n');
  });

  test('tells what failed, and what runs', async () => {
    const bad = graph('bad')
      .fn('a', () => {
        throw new Error('no');
      })
      .end('a')
      .build();
    const { events, state } = await startGraph(bad);
    expect(events.length).toBeGreaterThan(0);
    expect(drawGraph(bad, { format: 'text', state: state.graph! })).toContain(
      '✗ a  function (start, end)  [failed]',
    );
    const open = decide((await startGraph(loop)).state, { action: 'continue' });
    expect(drawGraph(loop, { format: 'text', state: open.graph! })).toContain(
      '▸ publish  function (end, stops before)  [current]',
    );
  });

  test('tells what happened inside of groups, choices, maps and graphs', async () => {
    const deep = graph('deep')
      .group('both', { members: { one: write, two: ask } })
      .choose('pick', { select: () => 'left', candidates: { left: write, right: write } })
      .map('each', { items: () => [1, 2, 3], worker: write })
      .subgraph('nested', { graph: inner })
      .edge('both', 'pick')
      .edge('pick', 'each')
      .edge('each', 'nested')
      .end('nested')
      .build();
    const { state } = await startGraph(deep);
    expect(drawGraph(deep, { format: 'text', state: state.graph!, ascii: true })).toContain(`graph deep
  ? both  group (start)  [waiting]
      | + one  function  [done]
      | ? two  human  [waiting]
      -> pick
    pick  choose
`);
    const done = await driveGraph(decide(state, { action: 'respond', output: 1 }), deep);
    expect(drawGraph(deep, { format: 'text', state: done.state.graph! })).toBe(`graph deep
  ✓ both  group (start)  [done]
      │ ✓ one  function  [done]
      │ ✓ two  human  [done]
      → pick  [taken]
  ✓ pick  choose  [done]
      │ ✓ left  function  [done]
      │   right  function
      → each  [taken]
  ✓ each  map  [done]
      │ ✓ item  function  [done, 3 visits]
      → nested  [taken]
  ✓ nested  subgraph (end)  [done]
      │ ✓ first  function (start, end)  [done]
      │     → last  if state.first == 1  [taken]
      │ ✓ last  function (end)  [done]
`);
  });

  test('shows a node in doubt as one that waits', async () => {
    const charge = graph('charge')
      .fn('charge', () => 1)
      .end('charge')
      .build();
    const died = await startGraph(charge, { dieAfter: 3 }).catch((thrown: unknown) => thrown as Died);
    const { state } = await driveGraph(died.state, charge);
    expect(openOf(state)).toEqual(['in-doubt charge@1 run']);
    expect(drawGraph(charge, { format: 'text', state: state.graph! })).toContain('[waiting]');
  });
});
