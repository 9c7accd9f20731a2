import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Graph, WorkflowContext } from '../../../src/graph/index.js';
import { graph, migrationEvents, migrationOf, workflow } from '../../../src/graph/index.js';
import type { RunState } from '../../../src/core/index.js';
import { evolve, fold } from '../../../src/core/index.js';
import { ANN } from '../../helpers/events.js';
import { asking, goOn, play } from './play.js';

interface Versions {
  readonly version?: number;
  readonly accepts?: readonly number[];
}

const go = (ctx: WorkflowContext, prompt = 'Go?') => ctx.ask('go', { prompt, schema: z.boolean() });
const deploy = (versions: Versions, code = (ctx: WorkflowContext): unknown => go(ctx)): Graph =>
  workflow('deploy', versions, (ctx) => code(ctx));

/** Moves a run as a person does who saw what it would be. */
async function moved(state: RunState, flow: Graph) {
  return fold(await migrationEvents(flow, { state }, ANN), state);
}

describe('a workflow with a version', () => {
  test.for<readonly [string, Versions, Versions, string | undefined]>([
    ['the same', { version: 2 }, { version: 2 }, undefined],
    ['none, by one that says 1', {}, { version: 1 }, undefined],
    ['an accepted one', { version: 2 }, { version: 4, accepts: [2, 3] }, undefined],
    [
      'another one',
      { version: 2 },
      { version: 3 },
      'version 2 instead of version 3, which does not accept any other version',
    ],
    [
      'one that is not accepted',
      { version: 1 },
      { version: 3, accepts: [2] },
      'version 1 instead of version 3, which accepts 2',
    ],
    [
      'a later one',
      { version: 3 },
      { version: 2 },
      'version 3 instead of version 2, which does not accept any other version',
    ],
    ['none', {}, { version: 2 }, 'version 1 instead of version 2, which does not accept any other version'],
  ])('W52: goes on with a run of %s, or refuses it before anything runs', async ([, older, newer, why]) => {
    const { state } = await play(deploy(older));
    const next = goOn(state, deploy(newer), [{ say: true }]);
    if (why === undefined) expect((await next).output).toBe(true);
    else
      await expect(next).rejects.toMatchObject({
        code: 'BAD_GRAPH',
        message: `this session runs a different version of graph \`deploy\`: ${why}`,
        hint: expect.stringMatching(/hitl test-replay <flow> .*hitl migrate /u),
      });
  });

  test('W53: is kept with the run, and an accepted version does not take its place', async () => {
    const { state } = await play(deploy({ version: 2 }));
    const { state: later } = await goOn(state, deploy({ version: 3, accepts: [2] }));
    expect(later.graph?.outline?.version).toBe(2);
    await expect(goOn(later, deploy({ version: 4, accepts: [3] }))).rejects.toThrow('version 2');
  });

  test('W54: is moved by a person who saw the changes and the replay, and nothing of it runs', async () => {
    let ran = 0;
    const code = (ctx: WorkflowContext) =>
      ctx.step('count', () => (ran += 1)).then((count) => go(ctx).then(() => count));
    const { state } = await play(deploy({ version: 1 }, code));
    const newer = deploy({ version: 2 }, code);
    const found = await migrationOf(newer, { state });
    expect(found).toEqual({
      parts: [
        {
          path: '',
          name: 'deploy',
          from: 1,
          to: 2,
          changes: [{ change: 'changed', what: 'version', thing: 'version 1 to 2' }],
        },
      ],
      replay: { operations: 2 },
      plan: expect.stringMatching(/^[\da-f]{12}$/u),
    });
    const after = await moved(state, newer);
    expect(await migrationOf(newer, { state: after })).toMatchObject({
      parts: [],
      replay: { operations: 2 },
    });
    expect((await goOn(after, newer, [{ say: true }])).output).toBe(1);
    await expect(goOn(after, deploy({ version: 1 }, code))).rejects.toThrow('version 2');
  });

  test('W54: the plan of a move is that of what is shown, and of where the run is', async () => {
    const { state } = await play(deploy({ version: 1 }));
    const plan = async (from: typeof state, flow: Graph) => (await migrationOf(flow, { state: from })).plan;
    const newer = deploy({ version: 2 });
    const first = await plan(state, newer);
    expect(await plan(state, deploy({ version: 2 }))).toBe(first);
    const other = deploy({ version: 2 }, (ctx) => go(ctx, 'Stop?'));
    expect((await migrationOf(other, { state })).replay?.difference).toMatchObject({ operation: 'go#1' });
    expect(await plan(state, other)).not.toBe(first);
    const answered = (await goOn(state, deploy({ version: 1 }), [{ say: true }])).state;
    expect(await plan(answered, newer)).not.toBe(first);
  });

  test('O3: what a move agreed to is asked about in no run: a `patched` and a step that are gone (N5)', async () => {
    const weeks = (ctx: WorkflowContext) => ctx.event('signed');
    const video = async (ctx: WorkflowContext) => {
      await ctx.step('account', () => null, { effect: 'once' });
      if (await ctx.patched('video')) await ctx.step('video', () => null, { effect: 'once' });
      await weeks(ctx);
      return ctx.step('badge', () => 'badge', { effect: 'once' });
    };
    const without = async (ctx: WorkflowContext) => {
      await ctx.step('account', () => null, { effect: 'once' });
      await weeks(ctx);
      return ctx.step('badge', () => 'badge', { effect: 'once' });
    };
    const { state } = await play(deploy({}, video));
    const newer = deploy({}, without);
    expect((await migrationOf(newer, { state })).parts).toEqual([
      { path: '', name: 'deploy', from: 1, to: 1, changes: [], passed: ['patched video#1', 'video#1'] },
    ]);
    const after = await moved(state, newer);
    expect(await migrationOf(newer, { state: after })).toMatchObject({
      parts: [],
      replay: { operations: 4 },
    });
    expect((await goOn(after, newer, [{ say: 'ann' }])).output).toBe('badge');
    const unmoved = await goOn(state, newer, [{ say: 'ann' }]);
    expect(asking(unmoved.state)).toEqual(['patched video#1']);
  });

  const inside = (versions: Versions, kind: 'node' | 'called' | 'branch'): Graph => {
    const inner = workflow('inner', versions, (ctx) => go(ctx));
    if (kind === 'called')
      return workflow('outer', async (ctx) => {
        try {
          return await ctx.call(inner, 1);
        } catch {
          return 'rolled back';
        }
      });
    const node = { kind: 'subgraph', graph: inner } as const;
    return kind === 'node'
      ? graph('outer').node('in', node).end('in').build()
      : graph('outer')
          .group('both', { members: { in: node } })
          .end('both')
          .build();
  };

  test.for([
    ['node', 'in@1'],
    ['called', 'outer@1/inner#1'],
    ['branch', 'both@1/in/in@1'],
  ] as const)('W55: is refused and moved inside of a %s, and no `catch` sees it', async ([kind, path]) => {
    const { state } = await play(inside({ version: 1 }, kind));
    const newer = inside({ version: 2 }, kind);
    await expect(goOn(state, newer)).rejects.toThrow(
      `${path}: this session runs a different version of graph`,
    );
    expect((await migrationOf(newer, { state })).parts).toMatchObject([{ path, from: 1, to: 2 }]);
    const after = await moved(state, newer);
    const { state: ended, outcome } = await goOn(after, newer, [{ say: true }]);
    expect([outcome.type, asking(ended)]).toEqual(['ended', []]);
  });
});

describe('a graph that was changed while a run waits', () => {
  const names = (...all: readonly string[]) => {
    const made = graph('publish');
    for (const name of all)
      made.human(name, {
        question: () => ({ prompt: `${name}?` }),
        ...(name === 'gated' && { gate: { before: true } }),
      });
    all.slice(1).forEach((name, index) => void made.edge(all[index] ?? '', name));
    return made.end(all.at(-1) ?? '').build();
  };

  test('W56: one that only adds is taken with a word', async () => {
    const { state } = await play(names('a'));
    const notices: string[] = [];
    const longer = graph('publish')
      .human('a', { question: () => ({ prompt: 'a?' }) })
      .human('gated', { question: () => ({ prompt: 'b?' }), gate: { before: true } })
      .edge('a', 'gated')
      .end('a', 'gated')
      .build();
    const { state: taken, events } = await goOn(state, longer, [{ say: 1 }], {
      notice: (text) => void notices.push(text),
    });
    expect(notices).toEqual([
      'additions to `publish` since this run started: node gated (human), gate before gated, edge a → gated, end gated',
    ]);
    expect(events.filter(({ type }) => type === 'graph-migrated')).toMatchObject([{ by: { type: 'rule' } }]);
    expect(asking(taken)).toEqual(['gated']);
  });

  test('W57: one that takes a gate away is refused, and a person moves the run', async () => {
    const { state } = await play(names('a', 'gated'));
    const open = graph('publish')
      .human('a', { question: () => ({ prompt: 'a?' }) })
      .human('gated', { question: () => ({ prompt: 'gated?' }) })
      .edge('a', 'gated')
      .end('gated')
      .build();
    await expect(goOn(state, open)).rejects.toThrow('gate before gated was removed');
    const { parts } = await migrationOf(open, { state });
    expect(parts).toMatchObject([
      { changes: [{ change: 'removed', what: 'gate', thing: 'gate before gated' }] },
    ]);
    expect(asking((await goOn(await moved(state, open), open, [{ say: 1 }])).state)).toEqual(['gated']);
  });

  test('W57: a run is not moved away from under the node that it is at', async () => {
    const { state } = await play(names('a', 'b'), [{ say: 1 }]);
    const other = names('a', 'c');
    expect((await migrationOf(other, { state })).problem).toBe(
      'the run is at `b`, which is not in the definition: go back to an earlier step',
    );
    const [event] = await migrationEvents(other, { state }, ANN);
    if (event === undefined) throw new Error('nothing is moved');
    expect(() => evolve(state, event)).toThrow('the run is at `b`');
  });
});
