import { describe, expect, test } from 'vitest';

import { emptyState, openInterrupts } from '../../src/core/index.js';
import type { SessionEvent } from '../../src/core/index.js';
import type { Graph, GraphGuard } from '../../src/graph/index.js';
import { graph, runGraph } from '../../src/graph/index.js';
import { names, scene } from '../engine/drive.js';
import { decide, driveGraph, openOf, startGraph } from './drive-graph.js';

function chain(ran: string[] = []): Graph {
  const body = (name: string) => () => {
    ran.push(name);
    return name.toUpperCase();
  };
  return graph('chain').fn('a', body('a')).fn('b', body('b')).edge('a', 'b').end('b').build();
}

function guard(parts: Omit<GraphGuard, 'name'>): GraphGuard {
  return { name: 'policy', ...parts };
}

/** A guard of `b` alone. */
function before(verdict: NonNullable<GraphGuard['beforeNode']>): GraphGuard {
  return guard({ beforeNode: (at, signal) => (at.node === 'b' ? verdict(at, signal) : undefined) });
}

function blocked(why: string): object {
  return { type: 'failed', error: { code: 'NODE_FAILED', message: why } };
}

describe('a guard', () => {
  test('case 21: that throws keeps its node from running, and ends the run', async () => {
    const ran: string[] = [];
    const throwing = before(() => {
      throw new Error('no policy');
    });
    const { state } = await startGraph(chain(ran), { guards: [throwing] });
    expect([ran, state.graph?.state, state.ended]).toEqual([
      ['a'],
      { a: 'A' },
      blocked('guard `policy` blocks `b@1`: no policy'),
    ]);
    const again = await driveGraph(state, chain(ran), { guards: [throwing] });
    expect([ran, again.state.ended]).toEqual([['a'], blocked('guard `policy` blocks `b@1`: no policy')]);
    const without = await driveGraph(state, chain(ran));
    expect([ran, without.state.ended]).toEqual([['a', 'b'], { type: 'done' }]);
  });

  test('that asks is not satisfied with an edit of the state: it asks again', async () => {
    const ran: string[] = [];
    const guards = [before(() => ({ interrupt: 'sure?' }))];
    const { state } = await startGraph(chain(ran), { guards });
    const edited = await driveGraph(
      decide(state, { action: 'update-state', patch: { a: 'edited' } }),
      chain(ran),
      { guards },
    );
    expect([openOf(edited.state), ran]).toEqual([['gate b@1 before'], ['a']]);
    const done = await driveGraph(decide(edited.state, { action: 'continue' }), chain(ran), { guards });
    expect([done.state.graph?.state, ran]).toEqual([{ a: 'edited', b: 'B' }, ['a', 'b']]);
  });

  test('C-36: is asked with what is there, before a node, behind it and at its edges', async () => {
    const asked: object[] = [];
    const watching = guard({
      beforeNode: (at) => void asked.push({ before: at }),
      afterNode: (at) => void asked.push({ after: at }),
      onEdge: (at) => void asked.push({ edge: at }),
    });
    await startGraph(chain(), { guards: [watching] });
    const a = { path: 'a@1', node: 'a', visit: 1, kind: 'function', state: {} };
    const done = { ...a, state: { a: 'A' }, output: 'A' };
    const b = { path: 'b@1', node: 'b', visit: 1, kind: 'function', state: { a: 'A' } };
    expect(asked).toEqual([
      { before: a },
      { after: done },
      { edge: { ...done, to: 'b' } },
      { before: b },
      { after: { ...b, state: { a: 'A', b: 'B' }, output: 'B' } },
    ]);
  });

  test.for<[string, Omit<GraphGuard, 'name'>, string]>([
    ['before a node', { beforeNode: () => ({ block: 'not today' }) }, 'a@1'],
    ['behind a node', { afterNode: () => ({ block: 'not today' }) }, 'a@1'],
    ['at an edge', { onEdge: ({ to }) => (to === 'b' ? { block: 'not today' } : undefined) }, 'a@1'],
  ])('C-36: blocks %s', async ([, parts, at]) => {
    const { state } = await startGraph(chain(), { guards: [guard(parts)] });
    expect(state.ended).toEqual(blocked(`guard \`policy\` blocks \`${at}\`: not today`));
  });

  test('C-36: leaves a node out, alone or with an output in its place', async () => {
    const ran: string[] = [];
    const skipped = await startGraph(chain(ran), { guards: [before(() => ({ skip: true }))] });
    expect([ran, skipped.state.graph?.state, skipped.state.graph?.current?.status]).toEqual([
      ['a'],
      { a: 'A' },
      'skipped',
    ]);
    expect([...skipped.state.resolved].map(({ by }) => by)).toEqual([{ type: 'rule', rule: 'guard policy' }]);
    const given = await startGraph(chain(ran), { guards: [before(() => ({ skip: true, output: 0 }))] });
    expect([ran, given.state.graph?.state]).toEqual([['a', 'a'], { a: 'A', b: 0 }]);
  });

  test('C-36: cannot leave out what a person is to be asked', async () => {
    const ask = graph('g')
      .human('h', { question: () => ({ prompt: '?' }) })
      .end('h')
      .build();
    const { state } = await startGraph(ask, { guards: [guard({ beforeNode: () => ({ skip: true }) })] });
    expect(state.ended).toEqual(blocked('guard `policy` blocks `h@1`: a question cannot be skipped'));
  });

  test('C-36: asks a person once, and each guard for itself', async () => {
    const ran: string[] = [];
    const guards = ['money', 'law'].map((name) => ({
      ...before(() => ({ interrupt: `${name}?` })),
      name,
    }));
    const first = await startGraph(chain(ran), { guards });
    expect(openInterrupts(first.state)).toMatchObject([{ kind: 'gate', payload: { prompt: 'money?' } }]);
    const second = await driveGraph(decide(first.state, { action: 'continue' }), chain(ran), { guards });
    expect(openInterrupts(second.state)).toMatchObject([{ kind: 'gate', payload: { prompt: 'law?' } }]);
    expect(ran).toEqual(['a']);
    const done = await driveGraph(decide(second.state, { action: 'continue' }), chain(ran), { guards });
    expect([ran, done.state.ended]).toEqual([['a', 'b'], { type: 'done' }]);
  });

  test('C-36: asks behind a node too; a rejection takes back what the node gave', async () => {
    const guards = [guard({ afterNode: ({ node }) => (node === 'a' ? { interrupt: 'fine?' } : undefined) })];
    const first = await startGraph(chain(), { guards });
    expect([openOf(first.state), first.state.graph?.state]).toEqual([['gate a@1 after'], { a: 'A' }]);
    const rejected = await driveGraph(decide(first.state, { action: 'reject' }), chain(), { guards });
    expect([openOf(rejected.state), rejected.state.graph?.state]).toEqual([['gate a@1 after'], {}]);
  });

  test('C-36: holds inside of branches and of other graphs', async () => {
    const paths: string[] = [];
    const fan = graph('fan')
      .group('all', { members: { x: { kind: 'function', run: () => 1 } } })
      .subgraph('sub', { graph: chain() })
      .edge('all', 'sub')
      .end('sub')
      .build();
    await startGraph(fan, { guards: [guard({ beforeNode: ({ path }) => void paths.push(path) })] });
    expect(paths).toEqual(['all@1', 'all@1/x/x@1', 'sub@1', 'sub@1/a@1', 'sub@1/b@1']);
  });
});

describe('an observer', () => {
  test('case 21: that throws changes nothing, and is told of once', async () => {
    const notices: string[] = [];
    const seen: SessionEvent['type'][] = [];
    const { state, events } = await startGraph(chain(), {
      observers: [
        () => {
          throw new Error('full');
        },
        (event) => {
          seen.push(event.type as SessionEvent['type']);
        },
      ],
      notice: (text) => {
        notices.push(text);
      },
    });
    expect(state.ended).toEqual({ type: 'done' });
    expect(notices).toEqual(['an observer of the run failed: full']);
    expect(seen).toEqual(events.map(({ type }) => type));
  });

  test('C-35: sees an event when it was kept, and nothing that was told before', async () => {
    const gated = graph('g', { interruptBefore: ['b'] })
      .fn('a', () => 1)
      .fn('b', () => 2)
      .edge('a', 'b')
      .end('b')
      .build();
    const first = await startGraph(gated);
    const order: string[] = [];
    const steps = runGraph(
      decide(first.state, { action: 'continue' }),
      gated,
      { run: scene(), observers: [({ type }) => void order.push(`seen ${type}`)] },
      new AbortController().signal,
    );
    for (let step = await steps.next(); step.done !== true; step = await steps.next()) {
      if (step.value.durable) order.push(...names(step.value.events).map((name) => `kept ${name}`));
    }
    expect(order).toEqual([
      'kept node-started',
      'seen node-started',
      'kept node-settled',
      'seen node-settled',
      'kept ended done',
      'seen run-ended',
    ]);
  });

  test('R3: a consumer that leaves is kept until the run has stopped', async () => {
    let isStopped = false;
    const waits = graph('g')
      .agent('w', { prompt: () => 'wait' })
      .end('w')
      .build();
    const steps = runGraph(
      emptyState(),
      waits,
      {
        run: {
          ...scene(),
          model: {
            id: 'slow',
            async *generate() {
              try {
                yield { type: 'text-delta', text: 'well' };
              } finally {
                await Promise.resolve();
                isStopped = true;
              }
            },
          },
        },
        observers: [() => undefined],
      },
      new AbortController().signal,
    );
    for (let step = await steps.next(); step.done !== true; step = await steps.next())
      if (!step.value.durable) break;
    await steps.return({ type: 'ended', reason: { type: 'aborted' }, state: emptyState() });
    expect(isStopped).toBe(true);
  });
});

test('case 50: a body that goes on behind its own question is told of, and one that waits for it is not', async () => {
  const notices: string[] = [];
  const notice = (text: string): void => {
    notices.push(text);
  };
  const build = (goesOn: boolean): Graph =>
    graph('g')
      .group('all', {
        members: {
          p: {
            kind: 'function',
            run: async (_state, context) => {
              const answer = context.ask({ prompt: 'ok?' });
              return goesOn ? 'went on' : await answer.catch(() => 'caught');
            },
          },
        },
      })
      .end('all')
      .build();
  expect(openOf((await startGraph(build(false), { notice })).state)).toEqual(['question all@1/p/p@1 run']);
  expect(notices).toEqual([]);
  expect(openOf((await startGraph(build(true), { notice })).state)).toEqual(['question all@1/p/p@1 run']);
  expect(notices).toEqual([
    '`all@1/p/p@1` did not await its own question, which will still be asked: `await` it',
  ]);
});
