import { describe, expect, test } from 'vitest';

import type { JsonValue, RunState } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import type { Graph, NodeDefinition } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { calls, scene, tool } from '../engine/drive.js';
import { decide, Died, driveGraph, openOf, pathOf, startGraph } from './drive-graph.js';

/** Nodes in a row; each writes its name in capitals. */
function chain(names: readonly string[], options: Parameters<typeof graph>[1] = {}): Graph {
  const builder = graph('chain', options);
  for (const name of names) builder.fn(name, () => name.toUpperCase());
  for (const [index, name] of names.slice(1).entries()) builder.edge(names[index] ?? '', name);
  return builder.end(names.at(-1) ?? '').build();
}

describe('building', () => {
  test('case 1: two nodes with one name are named both', () => {
    const twice = graph('g')
      .fn('a', () => 1)
      .human('a', { question: () => ({ prompt: '?' }) })
      .end('a');
    expect(() => twice.build()).toThrow('duplicate node name `a`: number 1 (function) and 2 (human)');
  });

  test('case 2: an edge to a missing node is named with the nodes that are there', () => {
    const off = graph('g')
      .fn('a', () => 1)
      .edge('a', 'b')
      .end('a');
    expect(() => off.build()).toThrow('edge a → b refers to an unknown node; known nodes: a');
  });

  test('case 3: a cycle without an exit is refused and printed', () => {
    const ring = graph('g')
      .fn('a', () => 1)
      .fn('b', () => 1)
      .edge('a', 'b')
      .edge('b', 'a');
    expect(() => ring.build()).toThrow('cycle without an exit: a → b → a');
  });

  test('case 4: a node that cannot be reached is refused', () => {
    const lost = graph('g')
      .fn('a', () => 1)
      .fn('b', () => 1)
      .end('a', 'b');
    expect(() => lost.build()).toThrow('node `b` cannot be reached from `a`');
  });
});

describe('the condition of a gate', () => {
  const body: NodeDefinition = { kind: 'function', run: () => 1 };
  const gated: NodeDefinition = { ...body, gate: { before: true, when: 'state.ok ==' } };
  test.for<[string, NodeDefinition]>([
    ['of a node', gated],
    ['of a member of a group', { kind: 'group', members: { a: gated } }],
    ['of a candidate', { kind: 'choose', select: () => 'a', candidates: { a: gated } }],
    ['of a worker', { kind: 'map', items: () => [], worker: gated }],
    [
      'of a member inside a worker',
      { kind: 'map', items: () => [], worker: { kind: 'group', members: { gated } } },
    ],
  ])('%s is read when the graph is built', ([, node]) => {
    expect(() => graph('g').node('n', node).end('n').build()).toThrow(
      expect.objectContaining({
        code: 'BAD_GRAPH',
        message: expect.stringContaining('`state.ok ==`, column 12'),
      }),
    );
  });

  test('asks where it cannot be evaluated: such a gate stays shut', async () => {
    const node: NodeDefinition = { ...body, gate: { before: true, when: 'state.amount > 100' } };
    const flow = graph('g').node('a', node).end('a').build();
    const amount = { start: { set: { amount: 'a lot' } } };
    expect(openOf((await startGraph(flow, amount)).state)).toEqual(['gate a@1 before']);
    expect(openOf((await startGraph(flow, { start: { set: { amount: 5 } } })).state)).toEqual([]);
  });

  test('decides whether it asks, also in a branch', async () => {
    const asks = (when: string): NodeDefinition => ({ ...body, gate: { before: true, when } });
    const both = graph('g')
      .node('a', asks('not state.ok'))
      .group('b', { members: { c: asks('state.ok'), d: asks('not state.ok') } })
      .edge('a', 'b')
      .end('b')
      .build();
    expect(openOf((await startGraph(both)).state)).toEqual(['gate a@1 before']);
    expect(openOf((await startGraph(both, { start: { set: { ok: true } } })).state)).toEqual([
      'gate b@1/c/c@1 before',
    ]);
  });
});

describe('running', () => {
  test('case 10: a chain of three nodes ends done', async () => {
    const { state, outcome } = await startGraph(chain(['a', 'b', 'c']));
    expect([pathOf(state), state.graph?.state, outcome.type, state.ended]).toEqual([
      'a@1 b@1 c@1',
      { a: 'A', b: 'B', c: 'C' },
      'ended',
      { type: 'done' },
    ]);
  });

  test('case 11: the highest priority that matches is taken, and the fallback where none does', async () => {
    const build = (high: string): Graph =>
      graph('g')
        .fn('a', () => 1)
        .fn('b', () => 1)
        .fn('c', () => 1)
        .fn('d', () => 1)
        .edge('a', 'b', { when: high, priority: 10 })
        .edge('a', 'c', { when: high, priority: 1 })
        .edge('a', 'd', { priority: 0 })
        .end('b', 'c', 'd')
        .build();
    expect(pathOf((await startGraph(build('state.a == 1'))).state)).toBe('a@1 b@1');
    expect(pathOf((await startGraph(build('state.a == 2'))).state)).toBe('a@1 d@1');
  });

  test('case 14: a loop until 3 has three activations, and an appended list of 3', async () => {
    const loop = graph('loop', { reducers: { list: 'append' } })
      .fn('n', (state) => ({ output: Number(state['n'] ?? 0) + 1, patch: { list: 'lap' } }))
      .edge('n', 'n', { when: 'state.n < 3' })
      .end('n')
      .build();
    const { state } = await startGraph(loop);
    expect([pathOf(state), state.graph?.state]).toEqual([
      'n@1 n@2 n@3',
      { n: 3, list: ['lap', 'lap', 'lap'] },
    ]);
  });

  test('case 15: an endless loop asks at its limit, and goes on where it is extended', async () => {
    const endless = graph('loop', { maxIterations: 5 })
      .fn('n', () => true)
      .edge('n', 'n', { when: 'state.n' })
      .end('n')
      .build();
    const first = await startGraph(endless);
    expect([openOf(first.state), first.state.graph?.iterations]).toEqual([['limit run'], 5]);
    const more = await driveGraph(decide(first.state, { action: 'extend', by: 3 }), endless);
    expect([openOf(more.state), more.state.graph?.iterations]).toEqual([['limit run'], 8]);
    const stopped = await driveGraph(decide(more.state, { action: 'cancel' }), endless);
    expect(stopped.state.ended).toEqual({ type: 'limit', limit: 'iterations' });
  });

  test.each<[JsonValue]>([[''], [0], [false], [null], [[]]])('case 16: %j is an output', async (output) => {
    const one = graph('g')
      .fn('a', () => ({ output }))
      .end('a')
      .build();
    expect((await startGraph(one)).state.graph?.state).toEqual({ a: output });
  });

  test('case 17: a value that is no JSON fails the node, naming node and key', async () => {
    const bad = graph('g')
      .fn('a', () => ({ patch: { when: new Date(0) } }))
      .end('a')
      .build();
    const { state } = await startGraph(bad);
    expect(state.graph?.state).toEqual({});
    expect(state.ended).toMatchObject({
      type: 'failed',
      error: { message: expect.stringMatching(/`a`.*when|when.*`a`/) },
    });
  });

  test('C-17: an output is kept where the same result removes its key', async () => {
    const flow = graph('g')
      .fn('a', () => ({ output: 1, unset: ['a', 'b'] }))
      .end('a')
      .build();
    const { state } = await startGraph(flow, { start: { set: { a: 0, b: 0 } } });
    expect(state.graph?.state).toEqual({ a: 1 });
  });

  test('case 18: an end with a matching edge goes on', async () => {
    const on = graph('g')
      .fn('a', () => 1)
      .fn('b', () => 2)
      .edge('a', 'b', { when: 'state.a == 1' })
      .end('a', 'b')
      .build();
    expect(pathOf((await startGraph(on)).state)).toBe('a@1 b@1');
  });

  test('case 19: no matching edge at a node that is no end fails with what was looked at', async () => {
    const stuck = graph('g')
      .fn('a', () => 1)
      .fn('b', () => 2)
      .edge('a', 'b', { when: 'state.a == 2' })
      .end('b')
      .build();
    expect((await startGraph(stuck)).state.ended).toEqual({
      type: 'failed',
      error: {
        code: 'NODE_FAILED',
        message: 'no edge from `a` matches (b: false), and the node is not an end',
      },
    });
  });

  test('case 20: a condition is evaluated once for an activation', async () => {
    let count = 0;
    const counted = graph('g')
      .fn('a', () => 1)
      .fn('b', () => 2)
      .edge('a', 'b', { when: () => (count += 1) > 0 })
      .end('b')
      .build();
    await startGraph(counted);
    expect(count).toBe(1);
  });

  test('case 13: a resumed run draws the edge that an uninterrupted one draws', async () => {
    const lots = (after: readonly string[]): Graph =>
      graph('lots', { interruptAfter: after })
        .fn('a', () => 1)
        .fn('b', () => 1)
        .fn('c', () => 1)
        .edge('a', 'b', { weight: 0.7 })
        .edge('a', 'c', { weight: 0.3 })
        .end('b', 'c')
        .build();
    const seen = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const straight = pathOf((await startGraph(lots([]), { start: { seed } })).state);
      const stopped = await startGraph(lots(['a']), { start: { seed } });
      const resumed = await driveGraph(decide(stopped.state, { action: 'continue' }), lots(['a']));
      expect(pathOf(resumed.state)).toBe(straight);
      seen.add(straight);
    }
    expect([...seen].sort()).toEqual(['a@1 b@1', 'a@1 c@1']);
  });
});

describe('gates', () => {
  const gated = chain(['a', 'b', 'c'], { interruptBefore: ['b'] });

  test('case 35, 36: a gate before b stops with a done and b not; then b runs once', async () => {
    const first = await startGraph(gated);
    expect([openOf(first.state), pathOf(first.state), first.state.graph?.current?.phase]).toEqual([
      ['gate b@1 before'],
      'a@1 b@1',
      'before',
    ]);
    const done = await driveGraph(decide(first.state, { action: 'continue' }), gated);
    expect([pathOf(done.state), done.state.ended, done.state.graph?.iterations]).toEqual([
      'a@1 b@1 c@1',
      { type: 'done' },
      3,
    ]);
  });

  test('case 37, 38: gates on both sides ask in order, and the body runs once', async () => {
    let runs = 0;
    const both = graph('g', { interruptBefore: ['a'], interruptAfter: '*' })
      .fn('a', () => (runs += 1))
      .end('a')
      .build();
    const first = await startGraph(both);
    const second = await driveGraph(decide(first.state, { action: 'continue' }), both);
    expect([openOf(first.state), openOf(second.state)]).toEqual([['gate a@1 before'], ['gate a@1 after']]);
    const done = await driveGraph(decide(second.state, { action: 'continue' }), both);
    expect([runs, done.state.ended]).toEqual([1, { type: 'done' }]);
  });

  test('case 55: rerun undoes the node, and only its next activation reads the guidance', async () => {
    const read: string[] = [];
    const note = graph('g', { interruptAfter: ['b'] })
      .fn('b', (_state, { guidance, visit }) => {
        read.push(`b@${visit}: ${guidance.join()}`);
        return visit;
      })
      .fn('c', (_state, { guidance }) => void read.push(`c: ${guidance.join()}`))
      .edge('b', 'c')
      .end('c')
      .build();
    const first = await startGraph(note);
    const again = await driveGraph(decide(first.state, { action: 'rerun', guidance: 'shorter' }), note);
    expect([pathOf(again.state), again.state.graph?.state]).toEqual(['b@2', { b: 2 }]);
    await driveGraph(decide(again.state, { action: 'continue' }), note);
    expect(read).toEqual(['b@1: ', 'b@2: shorter', 'c: ']);
  });

  test('case 56: going back twice goes back twice, to the state before a ran', async () => {
    const back = chain(['a', 'b', 'c'], { interruptAfter: ['c'], interruptBefore: ['a', 'b'] });
    let { state } = await startGraph(back, { start: { set: { tenant: 1 } } });
    state = (await driveGraph(decide(state, { action: 'continue' }), back)).state;
    state = (await driveGraph(decide(state, { action: 'continue' }), back)).state;
    expect(openOf(state)).toEqual(['gate c@1 after']);
    state = (await driveGraph(decide(state, { action: 'go-back' }), back)).state;
    expect([openOf(state), state.graph?.state]).toEqual([['gate b@2 before'], { tenant: 1, a: 'A' }]);
    state = (await driveGraph(decide(state, { action: 'go-back' }), back)).state;
    expect([openOf(state), state.graph?.state]).toEqual([['gate a@2 before'], { tenant: 1 }]);
  });

  test('case 57: going back restores what was overwritten and removes what was made', async () => {
    const over = graph('g', { interruptAfter: ['b'], interruptBefore: ['b'] })
      .fn('a', () => ({ patch: { k: 'of a' } }))
      .fn('b', () => ({ patch: { k: 'of b', m: 1 } }))
      .edge('a', 'b')
      .end('b')
      .build();
    let { state } = await startGraph(over);
    state = (await driveGraph(decide(state, { action: 'continue' }), over)).state;
    expect(state.graph?.state).toEqual({ k: 'of b', m: 1 });
    state = (await driveGraph(decide(state, { action: 'go-back', to: 'b' }), over)).state;
    expect([state.graph?.state, openOf(state)]).toEqual([{ k: 'of a' }, ['gate b@2 before']]);
  });

  test('case 58, 61, 66: what does not fit is refused, and the gate stays open', async () => {
    const { state } = await startGraph(gated);
    expect(() => decide(state, { action: 'go-back', steps: 9 })).toThrow('9 steps back is before the start');
    expect(() => decide(state, { action: 'update-state', patch: { _x: 1 } })).toThrow('`_x` is reserved');
    const two = { action: 'sequence', actions: [{ action: 'skip' }, { action: 'continue' }] } as const;
    expect(() => decide(state, two)).toThrow('at most one action can continue the run: skip, continue');
    expect(() => decide(state, { action: 'edit-output', value: 1 })).toThrow('`edit-output` does not answer');
    expect(openOf(state)).toEqual(['gate b@1 before']);
  });

  test('case 59: a skipped node changes nothing, and its edges are followed', async () => {
    const { state } = await startGraph(gated);
    const done = await driveGraph(decide(state, { action: 'skip' }), gated);
    const statuses = [...(done.state.graph?.history ?? [])].map(({ node, status }) => `${node} ${status}`);
    expect([statuses, done.state.graph?.state]).toEqual([['a done', 'b skipped'], { a: 'A', c: 'C' }]);
  });

  test('case 60: routing sees an edited output', async () => {
    const edited = graph('g', { interruptAfter: ['a'] })
      .fn('a', () => 1)
      .fn('b', () => 1)
      .fn('c', () => 1)
      .edge('a', 'b', { when: 'state.a == 1' })
      .edge('a', 'c', { when: 'state.a == 2' })
      .end('b', 'c')
      .build();
    const { state } = await startGraph(edited);
    const done = await driveGraph(decide(state, { action: 'edit-output', value: 2 }), edited);
    expect([pathOf(done.state), done.state.graph?.state]).toEqual(['a@1 c@1', { a: 2, c: 1 }]);
  });

  test.for([
    ['interruptBefore', 'gate b@1 before', { a: 'edited', b: 'B' }],
    ['interruptAfter', 'gate b@1 after', { a: 'edited', b: 'B' }],
  ] as const)('an edit of the state alone asks again with it: %s', async ([points, open, end]) => {
    const ran: string[] = [];
    const body = (name: string) => () => {
      ran.push(name);
      return name.toUpperCase();
    };
    const asks = graph('g', { [points]: ['b'] })
      .fn('a', body('a'))
      .fn('b', body('b'))
      .edge('a', 'b')
      .end('b')
      .build();
    const { state } = await startGraph(asks);
    const [first] = openInterrupts(state);
    const before = [...ran];
    const edited = await driveGraph(decide(state, { action: 'update-state', patch: { a: 'edited' } }), asks);
    const [second] = openInterrupts(edited.state);
    expect([openOf(edited.state), ran, second?.digest === first?.digest]).toEqual([[open], before, false]);
    const twice = await driveGraph(
      decide(edited.state, {
        action: 'sequence',
        actions: [{ action: 'update-state', patch: { a: 'edited' } }, { action: 'continue' }],
      }),
      asks,
    );
    expect([twice.state.ended, twice.state.graph?.state, ran]).toEqual([{ type: 'done' }, end, ['a', 'b']]);
  });

  test('case 62: an edit beside a rerun survives the undo', async () => {
    const again = graph('g', { interruptAfter: ['b'] })
      .fn('b', (state) => ({ patch: { k: 'of b', seen: state['k'] ?? null } }))
      .end('b')
      .build();
    const { state } = await startGraph(again);
    const actions = [{ action: 'rerun' }, { action: 'update-state', patch: { k: 'edited' } }] as const;
    const next = await driveGraph(decide(state, { action: 'sequence', actions }), again);
    expect(next.state.graph?.state).toEqual({ k: 'of b', seen: 'edited' });
  });

  test('case 63: a changed condition is seen by edges', async () => {
    const fast = graph('g', { interruptAfter: ['a'] })
      .fn('a', () => 1)
      .fn('slow', () => 1)
      .fn('quick', () => 1)
      .edge('a', 'quick', { when: 'conditions.fast', priority: 2 })
      .edge('a', 'slow')
      .end('slow', 'quick')
      .build();
    const { state } = await startGraph(fast);
    const done = await driveGraph(decide(state, { action: 'change-condition', patch: { fast: true } }), fast);
    expect(pathOf(done.state)).toBe('a@1 quick@1');
  });

  test('case 64: what is deferred is kept with its place, and the run goes on', async () => {
    const later = chain(['a', 'b'], { interruptBefore: '*' });
    let { state } = await startGraph(later);
    state = (await driveGraph(decide(state, { action: 'defer', note: 'one' }), later)).state;
    state = (await driveGraph(decide(state, { action: 'defer', note: 'two' }), later)).state;
    expect([state.ended, state.graph?.todos.map(({ note, node }) => [note, node])]).toEqual([
      { type: 'done' },
      [
        ['one', 'a'],
        ['two', 'b'],
      ],
    ]);
  });

  test('case 69: a cancel at a gate ends the run; taken up again it asks under a new id', async () => {
    const { state } = await startGraph(gated);
    const stopped = await driveGraph(decide(state, { action: 'cancel' }), gated);
    expect([stopped.state.ended, openOf(stopped.state)]).toEqual([{ type: 'aborted' }, []]);
    const again = await driveGraph(stopped.state, gated);
    expect([openOf(again.state), openInterrupts(again.state)[0]?.id]).toEqual([['gate b@1 before'], 'i2']);
  });
});

describe('questions of a body', () => {
  test.each<[JsonValue]>([[false], [0], [''], [null], [{}], [[]]])(
    'case 42: the answer %j is given as it is',
    async (value) => {
      const ask = graph('g')
        .human('h', { question: () => ({ prompt: 'which?' }) })
        .end('h')
        .build();
      const { state } = await startGraph(ask);
      expect(openOf(state)).toEqual(['question h@1 run']);
      const done = await driveGraph(decide(state, { action: 'respond', output: value }), ask);
      expect([done.state.graph?.state, done.state.ended]).toEqual([{ h: value }, { type: 'done' }]);
    },
  );

  test('case 40: a second lap asks again', async () => {
    const laps = graph('g', { reducers: { said: 'append' } })
      .fn('h', async (_state, context) => {
        const first = await context.ask({ prompt: 'first' });
        const second = await context.ask({ prompt: 'second' });
        return { patch: { said: [first, second] } };
      })
      .edge('h', 'h', { when: 'len(state.said) < 4' })
      .end('h')
      .build();
    let { state } = await startGraph(laps);
    const asked: string[] = [];
    for (let answer = 1; state.ended === undefined; answer += 1) {
      asked.push(...openOf(state));
      state = (await driveGraph(decide(state, { action: 'respond', output: answer }), laps)).state;
    }
    expect(asked).toEqual(['question h@1 run', 'question h@1 run', 'question h@2 run', 'question h@2 run']);
    expect(state.graph?.state).toEqual({ said: [1, 2, 3, 4] });
  });

  test('case 49: a step before a question is done once', async () => {
    let paid = 0;
    const pay = graph('g')
      .fn('p', async (_state, context) => {
        const receipt = await context.step('pay', () => (paid += 1));
        return [receipt, await context.ask({ prompt: 'ok?' })];
      })
      .end('p')
      .build();
    const { state } = await startGraph(pay);
    const done = await driveGraph(decide(state, { action: 'respond', output: 'yes' }), pay);
    expect([paid, done.state.graph?.state]).toEqual([1, { p: [1, 'yes'] }]);
  });

  test('case 50: a question that the body catches is asked all the same', async () => {
    const hides = graph('g')
      .fn('p', async (_state, context) => {
        await context.ask({ prompt: 'ok?' }).catch(() => undefined);
        return 'went on';
      })
      .end('p')
      .build();
    expect(openOf((await startGraph(hides)).state)).toEqual(['question p@1 run']);
  });
});

describe('agents, tools and branches', () => {
  const send = requireApproval(tool('send', () => 'sent'));

  test('case 46, 51: a tool of an agent in a nested graph asks with its path; the answer reaches it', async () => {
    const inner = graph('inner')
      .agent('writer', { prompt: () => 'write' })
      .end('writer')
      .build();
    const outer = graph('outer')
      .subgraph('sub', { graph: inner })
      .fn('after', (s) => s['sub'] ?? null)
      .edge('sub', 'after')
      .end('after')
      .build();
    const run = scene({ replies: [calls(['send', { n: 1 }]), 'written'], tools: [send] });
    const first = await startGraph(outer, { run });
    expect(openOf(first.state)).toEqual(['confirmation sub@1/writer@1/send']);
    const done = await driveGraph(decide(first.state, { action: 'restart' }), outer, { run });
    expect([done.state.ended, done.state.graph?.state]).toEqual([
      { type: 'done' },
      { sub: 'written', after: 'written' },
    ]);
  });

  test('a tool node asks as in a chat, and its output goes on', async () => {
    const once = graph('g')
      .tool('act', { tool: send, input: () => ({ n: 2 }) })
      .end('act')
      .build();
    const first = await startGraph(once);
    expect(openOf(first.state)).toEqual(['confirmation act@1/send']);
    const done = await driveGraph(decide(first.state, { action: 'restart' }), once);
    expect([done.state.ended, done.state.graph?.state]).toEqual([{ type: 'done' }, { act: 'sent' }]);
  });

  test('case 31: a branch that waits does not stop its sibling, which is not run again', async () => {
    let runs = 0;
    const fan = graph('g', { reducers: { list: 'append' } })
      .group('fan', {
        members: {
          asks: { kind: 'tool', tool: send, input: () => ({}) },
          works: { kind: 'function', run: () => ({ output: (runs += 1), patch: { list: 'w' } }) },
        },
      })
      .end('fan')
      .build();
    const first = await startGraph(fan, { start: { set: { list: ['base'] } } });
    expect([openOf(first.state), runs]).toEqual([['confirmation fan@1/asks/asks@1/send'], 1]);
    const done = await driveGraph(decide(first.state, { action: 'restart' }), fan);
    expect([runs, done.state.graph?.state]).toEqual([1, { list: ['base', 'w'], asks: 'sent', works: 1 }]);
  });

  test('case 24: two values for one key fail, or the last declared wins', async () => {
    const build = (onConflict: 'error' | 'last'): Graph =>
      graph('g')
        .group('fan', {
          onConflict,
          members: {
            a: { kind: 'function', run: () => ({ patch: { x: 1 } }) },
            b: { kind: 'function', run: () => ({ patch: { x: 2 } }) },
          },
        })
        .end('fan')
        .build();
    const failed = await startGraph(build('error'));
    expect(failed.state.ended).toMatchObject({
      type: 'failed',
      error: { message: expect.stringContaining('x') },
    });
    expect((await startGraph(build('last'))).state.graph?.state).toEqual({ x: 2 });
  });

  test('case 32: three branches ask at once; each answer leaves the rest open', async () => {
    const member = { kind: 'human', question: () => ({ prompt: '?' }) } as const;
    const fan = graph('g')
      .group('fan', { members: { a: member, b: member, c: member } })
      .end('fan')
      .build();
    let { state } = await startGraph(fan);
    expect(new Set(openInterrupts(state).map(({ id }) => id)).size).toBe(3);
    for (const id of ['i3', 'i1', 'i2']) {
      expect(state.ended).toBeUndefined();
      state = (
        await driveGraph(
          decide(state, { action: 'respond', output: id }, (one) => one.id === id),
          fan,
        )
      ).state;
    }
    expect([state.ended, state.graph?.state]).toEqual([{ type: 'done' }, { a: 'i1', b: 'i2', c: 'i3' }]);
  });

  test('case 33: a map runs so many at once and keeps the order of its items', async () => {
    let running = 0;
    let most = 0;
    const many = graph('g')
      .map('m', {
        items: (state) => (Array.isArray(state['items']) ? state['items'] : []),
        maxParallel: 5,
        worker: {
          kind: 'function',
          effect: 'none',
          run: async (state) => {
            running += 1;
            most = Math.max(most, running);
            await new Promise<void>((resolve) => {
              setImmediate(resolve);
            });
            running -= 1;
            return Number(state['item']) * 10;
          },
        },
      })
      .end('m')
      .build();
    const items = Array.from({ length: 12 }, (_, index) => index);
    const { state } = await startGraph(many, { start: { set: { items } } });
    expect([state.graph?.state['m'], most]).toEqual([items.map((item) => item * 10), 5]);
    expect((await startGraph(many)).state.graph?.state).toEqual({ m: [] });
  });

  test('case 28: with two of three, the third is aborted and its writes are absent', async () => {
    let isAborted = false;
    const two = graph('g')
      .group('fan', {
        join: 2,
        members: {
          a: { kind: 'function', run: () => 'a' },
          b: { kind: 'function', run: () => 'b' },
          c: {
            kind: 'function',
            run: async (_state, { signal }) => {
              await new Promise<void>((resolve) => {
                signal.addEventListener('abort', () => {
                  isAborted = true;
                  resolve();
                });
              });
              return 'c';
            },
          },
        },
      })
      .end('fan')
      .build();
    const { state } = await startGraph(two);
    expect([isAborted, state.graph?.state, state.ended]).toEqual([
      true,
      { a: 'a', b: 'b' },
      { type: 'done' },
    ]);
  });
});

describe('crashes', () => {
  test('case 81: death after every event, then resume: the same end, each effect once or asked about', async () => {
    const effects: string[] = [];
    const act = (name: string) => (): string => {
      effects.push(name);
      return name;
    };
    const send = requireApproval(tool('send', act('send'), { effect: 'once' }));
    const flow = graph('publish', { interruptAfter: ['draft'] })
      .fn('draft', act('draft'))
      .group('checks', {
        members: {
          legal: { kind: 'human', question: () => ({ prompt: 'legal?' }) },
          facts: { kind: 'function', run: act('facts') },
        },
      })
      .tool('publish', { tool: send, input: (state) => ({ text: state['draft'] ?? '' }) })
      .edge('draft', 'checks')
      .edge('checks', 'publish')
      .end('publish')
      .build();
    const run = scene();
    const finish = async (from: Parameters<typeof driveGraph>[0], die?: number) => {
      let told = 0;
      let { state } = await driveGraph(from, flow, { run, ...(die !== undefined && { dieAfter: die }) });
      while (state.ended === undefined) {
        const [open] = openInterrupts(state);
        if (open === undefined) throw new Error('nothing is open');
        // A person looks: it did happen where the effect is there, else it is run again.
        const name = open.source.type === 'node' ? open.source.nodeId : 'send';
        if (open.kind === 'in-doubt') told += 1;
        const doubt = effects.includes(name)
          ? ({ action: 'respond', output: name } as const)
          : ({ action: 'retry' } as const);
        state = decide(
          state,
          open.kind === 'in-doubt'
            ? doubt
            : open.kind === 'question'
              ? { action: 'respond', output: 'fine' }
              : open.kind === 'gate'
                ? { action: 'continue' }
                : { action: 'restart' },
        );
        ({ state } = await driveGraph(state, flow, { run }));
      }
      return { state, told };
    };
    const whole = await startGraph(flow, { run });
    let points = 0;
    let told = 0;
    const straight = await finish(whole.state);
    const end = straight.state.graph?.state;
    // The first stop has few events; deaths later come from states on the way.
    const stops = [whole.state];
    for (const at of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
      for (const from of [undefined, ...stops]) {
        effects.length = 0;
        if (from !== undefined) effects.push('draft');
        const begin = from === undefined ? undefined : decide(from, { action: 'continue' });
        const died = await (
          begin === undefined
            ? startGraph(flow, { run, dieAfter: at })
            : driveGraph(begin, flow, { run, dieAfter: at })
        ).then(
          ({ state }) => state,
          (thrown: unknown) => {
            if (!(thrown instanceof Died)) throw thrown;
            return thrown.state;
          },
        );
        const result = await finish(died);
        points += 1;
        told += result.told;
        expect([result.state.graph?.state, [...effects].sort()]).toEqual([end, ['draft', 'facts', 'send']]);
      }
    }
    expect(points).toBe(18);
    expect(told).toBeGreaterThan(0);
  });

  test('case 84: another version of the graph is refused', async () => {
    const { state } = await startGraph(chain(['a', 'b'], { interruptBefore: ['b'] }));
    const next = decide(state, { action: 'continue' });
    await expect(driveGraph(next, chain(['a', 'c']))).rejects.toThrow('a different version of graph `chain`');
  });

  test('case 87, 88: rewinding to a lap restores its state, and asks again', async () => {
    const laps = graph('g', { interruptBefore: '*', reducers: { list: 'append' } })
      .fn('n', (_state, { visit }) => ({ patch: { list: visit } }))
      .edge('n', 'n', { when: 'len(state.list) < 3' })
      .end('n')
      .build();
    let { state } = await startGraph(laps);
    for (let lap = 0; lap < 3; lap += 1)
      state = (await driveGraph(decide(state, { action: 'continue' }), laps)).state;
    expect(state.graph?.state).toEqual({ list: [1, 2, 3] });
    const { evolve } = await import('../../src/core/index.js');
    const back = await driveGraph(evolve(state, { type: 'rewound', node: 'n', visit: 2 }), laps);
    expect([pathOf(back.state), back.state.graph?.state, openOf(back.state)]).toEqual([
      'n@1 n@4',
      { list: [1] },
      ['gate n@4 before'],
    ]);
  });

  test('a rule of the session that was made in what a workflow goes back over does not count any more', async () => {
    const steps = graph('g', { interruptBefore: '*' })
      .fn('a', () => ({}))
      .fn('b', () => ({}))
      .edge('a', 'b')
      .end('b')
      .build();
    const { evolve } = await import('../../src/core/index.js');
    const ruled = (state: RunState, tool: string): RunState =>
      evolve(state, {
        type: 'rule-added',
        rule: { effect: 'allow', tool, toolDigest: 'd' },
        by: { type: 'script', name: 'a', via: 'flag' },
      });
    const first = ruled((await startGraph(steps)).state, 'early');
    const state = ruled((await driveGraph(decide(first, { action: 'continue' }), steps)).state, 'late');
    const left = (node: string): readonly string[] =>
      evolve(state, { type: 'rewound', node, visit: 1 }).rules.map(({ tool }) => tool);
    expect([left('b'), left('a')]).toEqual([['early'], []]);
  });
});
