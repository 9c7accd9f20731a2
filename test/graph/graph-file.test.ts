import { readFile } from 'node:fs/promises';

import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import type { JsonValue } from '../../src/core/index.js';
import { isHitlError, openInterrupts } from '../../src/core/index.js';
import type { Graph, GraphParts } from '../../src/graph/index.js';
import { graph, graphFromFile } from '../../src/graph/index.js';
import { fakeClock, scriptedModel } from '../../src/testing/index.js';
import { toolSet } from '../../src/tools/index.js';
import { calls, scene, tool } from '../engine/drive.js';
import { decide, driveGraph, openOf, pathOf, startGraph } from './drive-graph.js';

const double = tool('double', (input) => Number(Reflect.get(Object(input), 'n')) * 2);

const parts = {
  functions: {
    one: () => 1,
    fails: () => {
      throw new Error('no luck');
    },
    slow: () => new Promise(() => {}),
    wordy: () => ({ output: 'said', patch: { words: 'a' } }),
  },
  tools: toolSet([double]),
  agents: { writer: { system: 'write well' } },
  model: (id: string) => scriptedModel([`by ${id}`]),
  reducers: {
    longest: (old: JsonValue | undefined, value: JsonValue) =>
      JSON.stringify(old ?? '').length < JSON.stringify(value).length ? value : (old ?? value),
  },
  combiners: {
    total: (results: readonly JsonValue[]) => results.reduce<number>((sum, one) => sum + Number(one), 0),
  },
  graphs: {
    inner: graph('inner')
      .fn('i', (state) => ({ output: 'in', patch: { seen: state['given'] ?? null } }))
      .end('i')
      .build(),
  },
} satisfies GraphParts;

function load(text: string, given: GraphParts = parts): Promise<Graph> {
  return graphFromFile(text, { file: 'flow.yaml' }, given);
}

/** A graph of one node. */
function one(node: string, more = ''): Promise<Graph> {
  return load(`name: g\nend: a\nnodes:\n  a: ${node}\n${more}`);
}

/** The lines of the error of a file. */
async function problems(
  text: string,
  file = 'flow.yaml',
  given: GraphParts = parts,
): Promise<readonly string[]> {
  try {
    await graphFromFile(text, { file }, given);
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'BAD_GRAPH') return thrown.message.split('\n');
    throw thrown;
  }
  return [];
}

async function stateOf(
  loaded: Graph | Promise<Graph>,
  set: Readonly<Record<string, JsonValue>> = {},
): Promise<unknown> {
  const { state } = await startGraph(await loaded, { start: { set } });
  return state.graph?.state;
}

/** Why it ended, else what is open; no time passes but what is slept. */
async function endOf(loaded: Graph | Promise<Graph>): Promise<unknown> {
  const { state } = await startGraph(await loaded, { run: scene({ clock: fakeClock({ auto: true }) }) });
  return state.ended ?? openOf(state);
}

describe('a graph file', () => {
  test('has a name, a start, ends, edges with conditions, priorities and fallbacks', async () => {
    const text = `
name: review
start: draft
end: [publish, drop]
nodes:
  publish: { kind: set, set: { published: true } }
  draft: { kind: function, run: one }
  drop: { kind: set, unset: [draft] }
edges:
  - { from: draft, to: publish, when: state.draft > state.least, priority: 2 }
  - { from: draft, to: drop, priority: 0 }
`;
    const loaded = await load(text);
    expect([loaded.name, loaded.start, [...loaded.ends]]).toEqual(['review', 'draft', ['publish', 'drop']]);
    expect(await stateOf(loaded, { least: 0 })).toEqual({ least: 0, draft: 1, published: true });
    expect(await stateOf(loaded, { least: 1 })).toEqual({ least: 1 });
  });

  test('is the same graph in JSON', async () => {
    const document = {
      $schema: './graph.schema.json',
      name: 'g',
      end: 'b',
      nodes: { a: { kind: 'function', run: 'one' }, b: { kind: 'set', set: { x: '${state.a}' } } },
      edges: [{ from: 'a', to: 'b' }],
    };
    const yaml = await load(JSON.stringify(document, undefined, '\t'));
    const json = await graphFromFile(JSON.stringify(document, undefined, '\t'), { file: 'flow.json' }, parts);
    const named = await graphFromFile(JSON.stringify(document), { file: 'flow', format: 'json' }, parts);
    expect([yaml.hash, named.hash]).toEqual([json.hash, json.hash]);
  });

  test('says what messages may ask, for all of it and for a node', async () => {
    const text = (action: string): string => `
name: g
end: a
steer: { allow: '*' }
nodes: { a: { kind: function, run: one, steer: { allow: [defer], confirm: [${action}] } } }
`;
    const { steer, nodes } = await load(text('skip'));
    expect([steer, nodes['a']?.steer]).toEqual([{ allow: '*' }, { allow: ['defer'], confirm: ['skip'] }]);
    expect((await problems(text('restart'))).join()).toContain('flow.yaml:5');
  });

  test('weights edges', async () => {
    const text = (left: number, right: number): string => `
name: g
end: [b, c]
nodes: { a: { kind: function, run: one }, b: { kind: function, run: one }, c: { kind: function, run: one } }
edges: [{ from: a, to: b, weight: ${left} }, { from: a, to: c, weight: ${right} }]
`;
    expect(pathOf((await startGraph(await load(text(0, 1)))).state)).toBe('a@1 c@1');
    expect(pathOf((await startGraph(await load(text(1, 0)))).state)).toBe('a@1 b@1');
  });

  test('limits iterations', async () => {
    const text = `
name: g
end: a
maxIterations: 3
nodes: { a: { kind: function, run: one } }
edges: [{ from: a, to: a, when: state.a == 1 }]
`;
    const { state } = await startGraph(await load(text));
    expect([pathOf(state), openOf(state)]).toEqual(['a@1 a@2 a@3', ['limit run']]);
  });

  test('is strict about conditions where it says so', async () => {
    const text = (strict: boolean): string => `
name: g
end: a
strict: ${String(strict)}
nodes: { a: { kind: function, run: one } }
edges: [{ from: a, to: a, when: state.a < "x" }]
`;
    expect(await endOf(load(text(false)))).toEqual({ type: 'done' });
    expect(await endOf(load(text(true)))).toMatchObject({ type: 'failed' });
  });

  test.each([
    ['append', ['x', 'a']],
    ['overwrite', 'a'],
    ['longest', 'x'],
    ['sum', 'xa'],
  ])('reduces a key with %s', async (reducer, words) => {
    const loaded = await one(
      '{ kind: function, run: wordy, outputKey: false }',
      `reducers: { words: ${reducer} }`,
    );
    expect(await stateOf(loaded, { words: reducer === 'append' ? ['x'] : 'x' })).toEqual({ words });
  });

  test.each([
    ['interruptBefore: [a]', ['gate a@1 before']],
    ["interruptBefore: '*'", ['gate a@1 before']],
    ['interruptAfter: [a]', ['gate a@1 after']],
    ['interruptAfter: []', { type: 'done' }],
  ])('stops with %s', async (line, expected) => {
    expect(await endOf(one('{ kind: function, run: one }', line))).toEqual(expected);
  });
});

describe('every node of a file', () => {
  test.each([
    ['{ before: true }', ['gate a@1 before']],
    ['{ after: true }', ['gate a@1 after']],
    ['{ before: true, when: has("never") }', { type: 'done' }],
  ])('has a gate %s', async (gate, expected) => {
    expect(await endOf(one(`{ kind: function, run: one, gate: ${gate} }`))).toEqual(expected);
  });

  test('may say what its gate asks', async () => {
    const { state } = await startGraph(await one('{ kind: set, gate: { before: true, prompt: Go on? } }'));
    expect(openInterrupts(state)[0]?.payload).toMatchObject({ prompt: 'Go on?' });
  });

  test.each([
    ['fail', { type: 'failed' }],
    ['continue', { type: 'done' }],
    ['ask', ['error a@1 run']],
  ])('has onError %s', async (onError, expected) => {
    const end = await endOf(one(`{ kind: function, run: fails, onError: ${onError} }`));
    expect(end).toEqual(Array.isArray(expected) ? expected : expect.objectContaining(expected));
  });

  test('is tried again', async () => {
    let left = 2;
    const flaky = (): number => {
      left -= 1;
      if (left > 0) throw new Error('not yet');
      return 7;
    };
    const text =
      'name: g\nend: a\nnodes:\n  a: { kind: function, run: flaky, retry: { attempts: 2, delay: 5ms } }';
    expect(await endOf(load(text, { functions: { flaky } }))).toEqual({ type: 'done' });
    left = 2;
    const once = text.replace('attempts: 2', 'attempts: 1');
    expect(await endOf(load(once, { functions: { flaky } }))).toMatchObject({ type: 'failed' });
  });

  test.each([
    ['other', { other: 1 }],
    ['false', {}],
  ])('has outputKey %s', async (key, expected) => {
    expect(await stateOf(one(`{ kind: function, run: one, outputKey: ${key} }`))).toEqual(expected);
  });
});

describe('the kinds of nodes of a file', () => {
  test('a function has a time and an effect', async () => {
    const late = await endOf(one('{ kind: function, run: slow, timeout: 1 }'));
    expect(late).toMatchObject({ type: 'failed', error: { message: expect.stringContaining('1 ms') } });
    for (const effect of ['none', 'idempotent', 'once']) {
      const loaded = await one(`{ kind: function, run: one, effect: ${effect} }`);
      expect(loaded.nodes['a']).toMatchObject({ effect });
    }
  });

  test('a set node writes and removes keys, with values of the state', async () => {
    const loaded = await one(`
    kind: set
    set:
      whole: \${state.n + 1}
      text: "n is \${state.n}, \${state.list}, \${state.missing}."
      same: \${state.list}
      escaped: $\${state.n}
      quoted: \${"}" + '\\'' }
      deep: [{ at: "\${state.n == 1}" }, 5, null]
    unset: [list]`);
    expect(await stateOf(loaded, { n: 1, list: [0, false] })).toEqual({
      n: 1,
      whole: 2,
      text: 'n is 1, [0,false], .',
      same: [0, false],
      escaped: '${state.n}',
      quoted: "}'",
      deep: [{ at: true }, 5, null],
    });
  });

  test('a set node that was cut off runs again without a question', async () => {
    expect((await one('{ kind: set }')).nodes['a']).toMatchObject({ effect: 'none' });
  });

  test('a set node fails where an expression cannot be evaluated', async () => {
    const end = await endOf(one('{ kind: set, set: { x: "${state.n + 1}" } }'));
    expect(end).toMatchObject({ type: 'failed', error: { message: expect.stringContaining('state.n + 1') } });
  });

  test('an agent has a system prompt, tools, limits and a prompt of its own', async () => {
    const model = scriptedModel([calls(['double', { n: 4 }]), calls(['double', { n: 5 }]), 'eight']);
    const loaded = await one(`
    kind: agent
    agent: writer
    system: write badly
    prompt: About \${state.topic}
    tools: [double]
    limits: { maxTurns: 1, maxCostUsd: 5, maxTimeMs: 60000 }`);
    const run = { ...scene(), model };
    const { state } = await startGraph(loaded, { run, start: { set: { topic: 'tea' } } });
    const [request] = model.requests;
    expect([request?.system, request?.tools.map(({ name }) => name)]).toEqual(['write badly', ['double']]);
    expect([...(request?.messages ?? [])][0]?.content).toMatchObject([{ text: 'About tea' }]);
    expect(openOf(state)).toEqual(['limit a@1/run']);
    const node = loaded.nodes['a'];
    expect(node?.kind === 'agent' && node.limits).toEqual({ maxTurns: 1, maxCostUsd: 5, maxTimeMs: 60_000 });
  });

  test('an agent takes what is left out from its part, and the state key `input`', async () => {
    const model = scriptedModel(['fine']);
    const { state } = await startGraph(await one('{ kind: agent, agent: writer }'), {
      run: { ...scene(), model },
      start: { set: { input: 'hello' } },
    });
    expect([model.requests[0]?.system, state.graph?.state]).toEqual([
      'write well',
      { input: 'hello', a: 'fine' },
    ]);
  });

  test('an agent has a model of its own', async () => {
    expect(await stateOf(one('{ kind: agent, model: tiny }'))).toEqual({ a: 'by tiny' });
  });

  test('a tool is called with what the file makes of the state', async () => {
    expect(await stateOf(one('{ kind: tool, tool: double, input: { n: "${state.n}" } }'), { n: 4 })).toEqual({
      n: 4,
      a: 8,
    });
  });

  test('a person is asked, shown the payload, and held to the schema', async () => {
    const loaded = await one(`
    kind: human
    prompt: Publish \${state.title}?
    schema: { type: object, properties: { age: { type: integer } }, required: [age] }
    payload: { text: "\${state.text}" }`);
    const { state } = await startGraph(loaded, { start: { set: { title: 'Tea', text: 'long' } } });
    expect(openInterrupts(state)).toMatchObject([
      {
        payload: { question: 'Publish Tea?', details: { text: 'long' } },
        answerSchema: { required: ['age'] },
      },
    ]);
    const after = await driveGraph(decide(state, { action: 'respond', output: { age: 3 } }), loaded);
    expect(after.state.graph?.state['a']).toEqual({ age: 3 });
  });

  test('a choice is made by an expression, else by its fallback', async () => {
    const loaded = (fallback: string): Promise<Graph> =>
      one(`
    kind: choose
    select: state.which
    ${fallback}
    candidates:
      left: { kind: set, set: { went: left } }
      right: { kind: set, set: { went: right } }`);
    expect(await stateOf(loaded('fallback: left'), { which: 'right' })).toEqual({
      which: 'right',
      went: 'right',
    });
    expect(await stateOf(loaded('fallback: left'), { which: 'up' })).toEqual({ which: 'up', went: 'left' });
    const { state } = await startGraph(await loaded(''), { start: { set: { which: 'up' } } });
    expect(state.ended).toMatchObject({ type: 'failed' });
  });

  test('a group runs its members, and joins, fails and merges as the file says', async () => {
    const group = (rules: string): Promise<Graph> =>
      one(`
    kind: group
    ${rules}
    members:
      x: { kind: set, set: { who: x } }
      y: { kind: set, set: { who: y } }`);
    expect(await endOf(group(''))).toMatchObject({ type: 'failed' });
    expect(await stateOf(group('onConflict: first'))).toEqual({ who: 'x' });
    expect(await stateOf(group('onConflict: last'))).toEqual({ who: 'y' });
    const failing = (rules: string): Promise<Graph> =>
      one(`
    kind: group
    ${rules}
    members:
      x: { kind: function, run: fails }
      y: { kind: function, run: one }`);
    expect(await endOf(failing(''))).toMatchObject({ type: 'failed' });
    expect(await endOf(failing('onBranchError: collect'))).toMatchObject({ type: 'failed' });
    expect(await stateOf(failing('onBranchError: continue'))).toEqual({ y: 1 });
    const asking = (rules: string): Promise<Graph> =>
      one(`
    kind: group
    ${rules}
    members:
      x: { kind: human, prompt: Sure? }
      y: { kind: function, run: one }`);
    expect(await endOf(asking('join: all'))).toEqual(['question a@1/x/x@1 run']);
    expect(await stateOf(asking('join: any'))).toEqual({ y: 1 });
    expect(await stateOf(asking('join: 1'))).toEqual({ y: 1 });
    expect(await endOf(asking('join: 2'))).toEqual(['question a@1/x/x@1 run']);
    expect(
      await problems('name: g\nend: a\nnodes:\n  a: { kind: group, join: 2, members: { x: { kind: set } } }'),
    ).toEqual(['flow.yaml:4:6: nodes.a: group `a` waits for 2 of 1 branches']);
  });

  test('a map runs its worker on every item, so many at once, and reduces the results', async () => {
    const loaded = await one(`
    kind: map
    items: state.numbers
    maxParallel: 2
    reduce: total
    worker: { kind: tool, tool: double, input: { n: "\${state.item + state.index}" } }`);
    expect(await stateOf(loaded, { numbers: [1, 2, 3] })).toEqual({ numbers: [1, 2, 3], a: 18 });
    const node = loaded.nodes['a'];
    expect(node?.kind === 'map' && node.maxParallel).toBe(2);
    const { state } = await startGraph(loaded, { start: { set: { numbers: 5 } } });
    expect(state.ended).toMatchObject({ error: { message: expect.stringContaining('`state.numbers`') } });
  });

  test('a subgraph is named or written in place, and told what to take and to give', async () => {
    const named = await one(
      '{ kind: subgraph, graph: inner, input: { given: "${state.n}" }, result: { got: "${state.seen}" } }',
    );
    expect(await stateOf(named, { n: 3 })).toEqual({ n: 3, got: 3 });
    const written = (rules: string): Promise<Graph> =>
      one(`
    kind: subgraph
    ${rules}
    graph: { name: in, end: s, nodes: { s: { kind: set, set: { n: "\${state.n}" , m: 1 } } } }`);
    expect(await stateOf(written('state: shared'), { n: 3 })).toEqual({ n: 3, m: 1 });
    expect(await stateOf(written('state: isolated'), { n: 3 })).toEqual({ n: 3 });
    expect(await stateOf(one('{ kind: subgraph, graph: inner, outputKey: out }'))).toEqual({ out: 'in' });
  });
});

describe('the guide', () => {
  test('shows a file that loads and runs', async () => {
    const guide = await readFile(new URL('../../docs/guides/graph-files.md', import.meta.url), 'utf8');
    const [, text = ''] = /```yaml\n(.*?)```/su.exec(guide) ?? [];
    const published: JsonValue[] = [];
    const publish = tool('publish', (input) => {
      published.push(input);
      return 'out';
    });
    const loaded = await load(text, { tools: toolSet([publish]) });
    const model = scriptedModel(['good']);
    const run = { ...scene(), model };
    const first = await startGraph(loaded, { run, start: { set: { topic: 'tea', notes: [] } } });
    const again = decide(first.state, { action: 'respond', output: { verdict: 'again', note: 'shorter' } });
    const second = await driveGraph(again, loaded, { run });
    const yes = decide(second.state, { action: 'respond', output: { verdict: 'yes' } });
    const { state } = await driveGraph(yes, loaded, { run });
    const prompts = model.requests.map(({ messages }) => [...messages].map(({ content }) => content));
    expect(prompts).toMatchObject([
      [[{ text: 'Write about tea. Notes so far are []' }]],
      [[{ text: 'Write about tea. Notes so far are ["shorter"]' }]],
    ]);
    expect([pathOf(state), published]).toEqual([
      'draft@1 review@1 remember@1 draft@2 review@2 publish@1',
      [{ text: 'good' }],
    ]);
  });
});

describe('the published schema', () => {
  const schema = async (): Promise<ValidateFunction> => {
    const text = await readFile(new URL('../../schemas/graph.schema.json', import.meta.url), 'utf8');
    return new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(
      JSON.parse(text),
    );
  };

  test('takes what the loader takes', async () => {
    const validate = await schema();
    const text = `
name: g
end: [b]
reducers: { x: append }
interruptBefore: '*'
nodes:
  a: { kind: function, run: one, gate: { before: true }, retry: { attempts: 2 }, outputKey: false }
  b: { kind: map, items: state.x, worker: { kind: group, join: 1, members: { c: { kind: set, set: { x: 1 } } } } }
edges: [{ from: a, to: b, when: state.x, priority: 2, weight: 0.5 }]
`;
    expect((await load(text)).name).toBe('g');
    expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
  });

  test.each([
    'name: g\nend: a\nnodes: { a: { kind: set, sett: {} } }',
    'name: g\nend: a\nnodes: { a: { kind: agnet } }',
    'name: g\nnodes: { a: { kind: set } }',
    'name: g\nend: a\nnodes: { 1a: { kind: set } }',
  ])('refuses %j, as the loader does', async (text) => {
    const validate = await schema();
    expect([validate(parse(text)), (await problems(text)).length > 0]).toEqual([false, true]);
  });
});

describe('a wrong file', () => {
  test('is told everything at once, with lines and columns and what was meant', async () => {
    const text = `name: g
end: b
maxIteration: 3
interruptBefore: [dratf]
nodes:
  draft: { kind: agnet }
  b:
    kind: function
    run: on
    gate: { befor: true }
  c: { kind: choose, select: state., candidates: { x: { kind: tool, tool: dubble } }, fallback: y }
  d: { run: one }
edges:
  - { from: draft, to: bee, when: state.x === 1 }
  - { from: draft, to: b, condition: x, priority: -1 }
`;
    expect(await problems(text)).toEqual([
      'flow.yaml:3:1: unknown field `maxIteration`; did you mean `maxIterations`?',
      'flow.yaml:4:19: interruptBefore[0]: unknown node `dratf`; did you mean `draft`?',
      'flow.yaml:6:18: nodes.draft.kind: unknown node kind `agnet`; did you mean `agent`?',
      'flow.yaml:9:10: nodes.b.run: unknown function `on`; did you mean `one`?',
      'flow.yaml:10:13: nodes.b.gate: unknown field `befor`; did you mean `before`?',
      expect.stringMatching(/^flow\.yaml:11:30: nodes\.c\.select: .*column 7/u),
      'flow.yaml:11:75: nodes.c.candidates.x.tool: unknown tool `dubble`; did you mean `double`?',
      'flow.yaml:11:97: nodes.c.fallback: unknown candidate `y`; did you mean `x`?',
      'flow.yaml:12:6: nodes.d.kind: a node needs a `kind`; there are: function, set, agent, tool, human, choose, group, map, subgraph',
      'flow.yaml:14:24: edges[0].to: unknown node `bee`; did you mean `b`?',
      expect.stringMatching(/^flow\.yaml:14:35: edges\[0\]\.when: .*column/u),
      'flow.yaml:15:27: edges[1]: unknown field `condition`; did you mean `when`?',
      expect.stringMatching(/^flow\.yaml:15:51: edges\[1\]\.priority: .*0/u),
    ]);
  });

  test('has its problems as data too', async () => {
    try {
      await load('name: g\nend: a\nnodes: { a: { kind: set, sett: 1 } }');
    } catch (thrown) {
      expect(isHitlError(thrown) && thrown.detail).toEqual({
        file: 'flow.yaml',
        problems: [
          { line: 3, column: 26, path: 'nodes.a', message: 'unknown field `sett`; did you mean `set`?' },
        ],
      });
    }
    expect.assertions(1);
  });

  test('case 1: two nodes with one name are named both', async () => {
    const text = 'name: g\nend: a\nnodes:\n  a: { kind: set }\n  a: { kind: set }';
    expect(await problems(text)).toEqual(['flow.yaml:5:3: duplicate key `a`, first used on line 4']);
    expect(await problems('{ "name": 1,\n "name": 2 }', 'flow.json')).toEqual([
      expect.stringMatching(/^flow\.json:2:\d+: .*name/u),
    ]);
  });

  test('case 2: an edge to a missing node is named with the nodes that are there', async () => {
    const text = 'name: g\nend: a\nnodes: { a: { kind: set } }\nedges: [{ from: a, to: elsewhere }]';
    expect(await problems(text)).toEqual([
      'flow.yaml:4:24: edges[0].to: unknown node `elsewhere`; there are: a',
    ]);
  });

  test('case 3: a cycle without an exit is printed', async () => {
    const text = `name: g
end: c
nodes: { a: { kind: set }, b: { kind: set }, c: { kind: set } }
edges: [{ from: a, to: b }, { from: b, to: a }, { from: c, to: a }]`;
    expect(await problems(text)).toContain('flow.yaml:3:13: nodes.a: cycle without an exit: a → b → a');
  });

  test('case 4: a node that cannot be reached has its place', async () => {
    const text = 'name: g\nend: [a, b]\nnodes:\n  a: { kind: set }\n  b: { kind: set }';
    expect(await problems(text)).toEqual(['flow.yaml:5:6: nodes.b: node `b` cannot be reached from `a`']);
  });

  test('an edge that is there twice has the place of the second', async () => {
    const text =
      'name: g\nend: b\nnodes: { a: { kind: set }, b: { kind: set } }\nedges:\n  - { from: a, to: b }\n  - { from: a, to: b }';
    expect(await problems(text)).toEqual(['flow.yaml:6:5: edges[1]: edge a → b is declared twice']);
  });

  test('a graph inside of it has its places too', async () => {
    const text =
      'name: g\nend: a\nnodes:\n  a:\n    kind: subgraph\n    graph:\n      name: in\n      end: nowhere\n      nodez: {}\n';
    expect(await problems(text)).toEqual([
      'flow.yaml:7:7: nodes.a.graph.nodes: it is missing',
      'flow.yaml:9:7: nodes.a.graph: unknown field `nodez`; did you mean `nodes`?',
    ]);
  });

  test.each([
    ['{ kind: set, gate: {} }', 'nodes.a.gate: a gate must have `before`, `after` or both'],
    ['{ kind: set, set: { x: "${meta.visit}" } }', 'only `state` can be read here, not `meta`'],
    ['{ kind: set, set: { x: "${state.x" } }', 'has no `}` after it'],
    ['{ kind: set, set: [1] }', 'nodes.a.set: expected a JSON object'],
    ['{ kind: agent, agent: riter }', 'unknown agent `riter`; did you mean `writer`?'],
    ['{ kind: agent, model: 5 }', 'nodes.a.model: expected string, received number'],
    ['{ kind: map, items: state.x, worker: { kind: set }, reduce: sum }', 'unknown combiner `sum`'],
    ['{ kind: subgraph, graph: outer }', 'unknown graph `outer`'],
    ['{ kind: subgraph, graph: 5 }', 'nodes.a.graph: expected string'],
    ['{ kind: subgraph, graph: inner, state: shared, outputKey: x }', '`outputKey` has no effect'],
    ['{ kind: group, members: { "1x": { kind: set } } }', 'a node name starts with a letter'],
    ['{ kind: group, members: {}, join: none }', 'nodes.a.join: expected'],
    ['{ kind: human }', 'nodes.a.prompt: it is missing'],
    ['{ kind: human, prompt: hi, timeoutMs: 5 }', 'unknown field `timeoutMs`'],
  ])('refuses %s', async (node, problem) => {
    expect((await problems(`name: g\nend: a\nnodes:\n  a: ${node}`)).join('\n')).toContain(problem);
  });

  test('refuses a reducer that nobody has, a fallback with a condition, and a model that is not there', async () => {
    const text = `name: g
end: b
reducers: { x: apend }
nodes: { a: { kind: agent, model: m }, b: { kind: set } }
edges: [{ from: a, to: b, priority: 0, when: 'true' }]`;
    expect(await problems(text, 'flow.yaml', {})).toEqual([
      'flow.yaml:3:16: reducers.x: unknown reducer `apend`; did you mean `append`?',
      'flow.yaml:4:35: nodes.a.model: unknown model `m`; no models were provided',
      'flow.yaml:5:9: edges[0]: priority 0 is the fallback, which always matches, so it cannot have `when`',
    ]);
  });

  test.each([
    ['a custom tag', 'name: !evil x', '1:7: Unresolved tag: !evil'],
    ['a tag that makes something of text', 'name: !!binary aGk=', '1:7: Unresolved tag'],
    ['an alias of nothing', 'name: *x', '1:7: name: the anchor `&x` is not defined before this alias'],
    ['an alias inside of itself', 'name: &x [*x]', '1:11: name[0]: `*x` contains itself'],
    ['a second document', 'name: x\n---\nname: y', 'only contain one document'],
    ['a key that is no text', '? [a]\n: b', 'keys must be strings'],
    ['the key `__proto__`', '__proto__: x', '1:1: the key `__proto__` is not allowed'],
    ['what is no number', 'name: .nan', '1:7: name: this value is not valid in JSON'],
    ['a number that would be rounded', 'name: 12345678901234567890', 'rounded'],
    ['a text that does not end', 'name: "x', '1:9: Missing closing "quote'],
    ['nothing', '', '1:1'],
    ['a list', '[]', '1:1: expected object'],
    ['too much nesting', `name: ${'['.repeat(100_000)}`, 'more than 64 levels deep'],
    ['too much nesting of blocks', '- '.repeat(5000), 'more than 64 levels deep'],
    ['too long a text', `name: ${'x'.repeat(600_000)}`, 'longer than 500000 characters'],
  ])('refuses %s', async (_what, text, problem) => {
    expect((await problems(text)).join('\n')).toContain(problem);
  });

  test('refuses aliases that unfold to more than it may hold', async () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const items =
        level === 0
          ? 'x'
          : Array(9)
              .fill(`*l${level - 1}`)
              .join(', ');
      return `l${level}: &l${level} [${items}]`;
    });
    expect((await problems(levels.join('\n'))).join('\n')).toMatch(
      /more than 100 aliases|more than 50000 values/u,
    );
  });

  test('is never more than wrong, whatever was typed into it', async () => {
    const sound =
      'name: g\nend: [b]\nnodes:\n  a: &x { kind: set, set: { y: "${state.n}" } }\n  b: *x\nedges:\n  - { from: a, to: b }\n';
    const signs = [
      '\n',
      '  ',
      '- ',
      '? ',
      ': ',
      '*x',
      '!!set ',
      '|\n',
      '{',
      ']',
      '"',
      '<<: ',
      '__proto__: ',
      '\t',
      '---\n',
    ];
    const typed = fc.tuple(
      fc.nat(sound.length),
      fc.nat(4),
      fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(...signs)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(typed, { maxLength: 4 }), async (edits) => {
        const text = edits.reduce(
          (all, [at, gone, sign]) => all.slice(0, at) + sign + all.slice(at + gone),
          sound,
        );
        for (const file of ['flow.yaml', 'flow.json']) {
          for (const problem of await problems(text, file))
            expect(problem).toMatch(/^flow\.(yaml|json):\d+:\d+: /u);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('has its columns counted in characters, whatever ends its lines', async () => {
    const text = 'name: g\r\nend: a\r\nnodes: { a: { kind: set, "🙂": 1, x: 1 } }';
    expect(await problems(text)).toEqual([
      expect.stringMatching(/^flow\.yaml:3:26: nodes\.a: unknown field `🙂`/u),
      expect.stringMatching(/^flow\.yaml:3:34: nodes\.a: unknown field `x`/u),
    ]);
  });

  test('refuses JSON that is none', async () => {
    expect(await problems('{ "name": "x", }', 'flow.json')).toEqual([
      expect.stringMatching(/^flow\.json:1:16: /u),
    ]);
    expect(await problems('{ "name": 12345678901234567890 }', 'flow.json')).toEqual([
      expect.stringMatching(/^flow\.json:1:11: /u),
    ]);
  });

  test('takes an alias for what it stands for', async () => {
    const text = `
name: g
end: b
nodes:
  a: &step { kind: function, run: one }
  b: *step
edges: [{ from: a, to: b }]
`;
    expect(await stateOf(load(text))).toEqual({ a: 1, b: 1 });
  });
});
