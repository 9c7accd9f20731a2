import { describe, expect, test } from 'vitest';

import type { GraphFrame, SessionEvent } from '../../../src/core/index.js';
import { evolve, isOperationGate, openInterrupts } from '../../../src/core/index.js';
import type { Graph, WorkflowContext, WorkflowOptions } from '../../../src/graph/index.js';
import { drawGraph, flowProgress, migrationEvents, replayCheck, workflow } from '../../../src/graph/index.js';
import { ANN } from '../../helpers/events.js';
import { decide } from '../drive-graph.js';
import { asking, goOn, operationsOf, play } from './play.js';

type Options = WorkflowOptions<unknown>;

const GATED: Options = { gates: { deploy: 'before' } };
const on = { action: 'continue' } as const;

function deploys(done: string[], hosts: readonly string[] = ['a', 'b'], options: Options = GATED): Graph {
  return workflow('release', options, async (ctx) => {
    for (const host of hosts) await ctx.step('deploy', () => void done.push(host), { of: host });
    return done.length;
  });
}

describe('a gate before an operation of a workflow', () => {
  test('W60: asks each time with what would be done, and runs nothing before a yes', async () => {
    const done: string[] = [];
    const flow = deploys(done);
    const { state } = await play(flow);
    expect([done, openInterrupts(state)]).toMatchObject([
      [],
      [
        {
          kind: 'gate',
          source: { phase: 'before', operation: 'deploy#1' },
          payload: { does: 'step', input: 'a', plan: { kind: 'step' } },
          allowed: ['continue', 'respond', 'reject', 'cancel'],
        },
      ],
    ]);
    const next = await goOn(state, flow, [on]);
    expect([done, asking(next.state)]).toEqual([['a'], ['deploy#2']]);
    expect((await goOn(next.state, flow, [on])).output).toBe(2);
    expect(done).toEqual(['a', 'b']);
  });

  test.for(['after', 'befor', false, { timeout: '2d' }])(
    'is refused as %j: a gate that is not there stops nothing',
    (when) => {
      const gates = { deploy: when } as unknown as Record<string, 'before'>;
      expect(() => deploys([], ['a'], { gates })).toThrow(
        "the gate of `deploy` in workflow `release` must be 'before'",
      );
    },
  );

  test.for<readonly [string, Options, readonly string[] | undefined, readonly string[]]>([
    ['by its name', GATED, undefined, ['deploy#1']],
    ['by its name, of a run', {}, ['deploy'], ['deploy#1']],
    ['by one of its keys', { gates: { 'deploy#2': 'before' } }, undefined, ['deploy#2']],
    ['by a key, of a run', {}, ['deploy#2'], ['deploy#2']],
    ['by another name, which may mean it (N3)', { gates: { deply: 'before' } }, undefined, ['deploy#1']],
    ['by another name, of a run (N3)', {}, ['deply'], ['deploy#1']],
  ])('W61: stops %s', async ([, options, before, open]) => {
    const { state } = await play(deploys([], ['a', 'b'], options), [], {
      start: before === undefined ? {} : { before },
    });
    expect(asking(state)).toEqual(open);
  });

  test('W61: stops at all that do something with `*`, and not at what waits or chooses', async () => {
    const flow = workflow('release', {}, async (ctx) => {
      await ctx.now();
      await ctx.step('deploy', () => 1);
      return ctx.ask('well', { prompt: 'Well?' });
    });
    const { state } = await play(flow, [on], { start: { before: '*' } });
    expect(asking(state)).toEqual(['deploy#1']);
    expect(asking((await goOn(state, flow, [on])).state)).toEqual(['well#1']);
  });

  test('W62: a person answers in its place, and its body never runs', async () => {
    const done: string[] = [];
    const flow = workflow('release', GATED, (ctx) => ctx.step('deploy', () => void done.push('a')));
    const { state, events } = await play(flow);
    const after = await goOn(state, flow, [{ say: 'by hand' }]);
    expect([after.output, done, operationsOf([...events, ...after.events])]).toEqual(['by hand', [], []]);
    expect(await replayCheck(flow, after)).toEqual({ operations: 1 });
  });

  test('W63: a no is a failure that the code sees, the same in each replay, and a cancel is none', async () => {
    const flow = workflow('release', GATED, async (ctx) => {
      const why = await ctx.step('deploy', () => 1).catch((error: unknown) => String(error));
      return [why, await ctx.ask('well', { prompt: 'Well?' })];
    });
    const no = { action: 'reject', reason: 'not on Friday' } as const;
    const { state } = await play(flow);
    const { output } = await goOn(state, flow, [no, { say: 1 }]);
    expect(output).toEqual([expect.stringContaining('not on Friday'), 1]);
    const { outcome } = await goOn(state, flow, [{ action: 'cancel' }]);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'aborted' } });
  });

  test('W64: what was agreed to is what runs: another input is asked about with the difference', async () => {
    const done: string[] = [];
    const { state } = await play(deploys(done, ['a']));
    const changed = await goOn(decide(state, on), deploys(done, ['c']));
    expect(done).toEqual([]);
    expect(openInterrupts(changed.state)).toMatchObject([
      { source: { operation: 'deploy#1' }, payload: { input: 'c', changed: [expect.stringContaining('c')] } },
    ]);
    await goOn(changed.state, deploys(done, ['c']), [on]);
    expect(done).toEqual(['c']);
  });

  test('W65: the fold refuses an operation that began with no yes, or with one for something else', async () => {
    const { state } = await play(deploys([]));
    const started = (digest: string): SessionEvent => ({
      type: 'op-started',
      node: 'release',
      visit: 1,
      key: 'deploy#1',
      kind: 'step',
      digest,
      effect: 'once',
    });
    const [gate] = openInterrupts(state);
    const { digest } = (gate!.payload as { readonly plan: { readonly digest: string } }).plan;
    expect(() => evolve(state, started(digest))).toThrow('the plan of `deploy#1` was not approved');
    const agreed = decide(state, on);
    expect(() => evolve(agreed, started('0000'))).toThrow('the plan of `deploy#1` was not approved');
    expect(evolve(agreed, started(digest)).graph?.current?.operations.get('deploy#1')?.status).toBe(
      'started',
    );
  });

  const raced = (ctx: WorkflowContext) =>
    ctx.race('first', {
      quick: () => 'quick',
      gated: (one) => one.step('deploy', () => 'gated'),
    });

  test('W66: a gate of a branch that nobody needs any more is withdrawn', async () => {
    const flow = workflow('release', GATED, async (ctx) => [
      await raced(ctx),
      await ctx.ask('well', { prompt: 'Well?' }),
    ]);
    const { state } = await play(flow);
    expect(asking(state)).toEqual(['well#1']);
    expect((await goOn(state, flow, [{ say: 1 }])).output).toEqual(['quick', 1]);
  });

  test('W66: gates of branches are open at once, each for itself', async () => {
    const flow = workflow('release', GATED, (ctx) =>
      ctx.all('hosts', {
        a: (one) => one.step('deploy', () => 'a'),
        b: (one) => one.step('deploy', () => 'b'),
      }),
    );
    const { state } = await play(flow);
    expect(asking(state)).toEqual(['hosts/a/deploy#1', 'hosts/b/deploy#1']);
    expect((await goOn(state, flow, [on, on])).output).toEqual({ a: 'a', b: 'b' });
  });

  test('W67: going back to an operation asks at its gate again', async () => {
    const done: string[] = [];
    const flow = deploys(done);
    const { state } = await play(flow, [on, on]);
    const back = { type: 'rewound', node: 'release', visit: 1, operation: 'deploy#2' } as const;
    const again = await goOn(evolve(state, back), flow);
    expect([asking(again.state), done]).toEqual([['deploy#2'], ['a', 'b']]);
  });

  test('W79: drawings show before which operations a run stops, of the definition or of the run', async () => {
    const flow = deploys([], [], { ...GATED, version: 2 });
    const drawn = (format: 'text' | 'mermaid' | 'json', state?: GraphFrame) =>
      drawGraph(flow, { format, ascii: true, ...(state !== undefined && { state }) });
    expect(drawn('text')).toBe(
      'graph release  version 2\n  release  workflow (start, end, stops before operations: deploy)\n',
    );
    expect(drawn('mermaid')).toContain('n1["release<br/>|| deploy"]');
    expect(JSON.parse(drawn('json'))).toMatchObject({
      nodes: [{ name: 'release', interruptBeforeOperations: ['deploy'] }],
      metadata: { version: 2 },
    });
    const { state } = await play(deploys([], ['a'], {}), [], { start: { before: '*' } });
    expect(drawn('text', state.graph)).toContain('(start, end, stops before, stops before operations: *)');
    expect(flowProgress(flow, undefined)).toEqual({
      version: 2,
      nodes: [{ node: 'release', visits: 0, before: false, after: false, operations: ['deploy'] }],
    });
    expect(flowProgress(flow, state.graph)).toEqual({
      nodes: [
        { node: 'release', visits: 1, progress: 'waiting', before: true, after: false, operations: ['*'] },
      ],
    });
  });

  test('W68: a name that no operation had is told in each question until it has met one, and at the end', async () => {
    const done: string[] = [];
    const notices: string[] = [];
    const flow = deploys(done, ['a', 'b'], { gates: { depoly: 'before' } });
    const notice = (text: string) => void notices.push(text);
    const { state } = await play(flow, [on], { notice });
    expect([done, openInterrupts(state)]).toMatchObject([
      ['a'],
      [{ payload: { why: 'gates with no matching operation so far: `depoly`' } }],
    ]);
    await goOn(state, flow, [on], { notice });
    expect([done, notices]).toEqual([
      ['a', 'b'],
      ['no operation is named `depoly`, so its gate did not stop the run'],
    ]);
    expect(() => deploys([], [], { gates: { 'a/b': 'before' } })).not.toThrow();
    expect(() => deploys([], [], { gates: { '': 'before' } })).toThrow(
      '`` in `gates` is not a valid operation name',
    );
    await expect(play(deploys([]), [], { start: { after: ['deploy'] } })).rejects.toThrow(
      'cannot stop at unknown node `deploy`',
    );
  });

  test('asks about what comes before a gate has met its operation, and not about what only reads (N3)', async () => {
    const did: string[] = [];
    const flow = workflow('release', GATED, async (ctx) => {
      await ctx.step('look', () => void did.push('look'), { effect: 'none' });
      await ctx.step('build', () => void did.push('build'));
      await ctx.step('deploy', () => void did.push('deploy'));
      await ctx.step('tell', () => void did.push('tell'));
    });
    const { state } = await play(flow);
    expect([did, asking(state)]).toEqual([['look'], ['build#1']]);
    const next = await goOn(state, flow, [on]);
    expect([did.slice(1), asking(next.state)]).toEqual([['build'], ['deploy#1']]);
    const end = await goOn(next.state, flow, [on]);
    expect([did.slice(2), asking(end.state)]).toEqual([['deploy', 'tell'], []]);
    expect(await replayCheck(flow, end)).toEqual({ operations: 4 });
  });

  test('of code that declares its operations names one of them, or is refused before anything runs (N3)', async () => {
    const operations = ['build', 'deploy'];
    const done: string[] = [];
    expect(() => deploys(done, ['a'], { operations, gates: { deply: 'before' } })).toThrow(
      'unknown operation `deply`; known operations: build, deploy, in workflow `release`',
    );
    const flow = deploys(done, ['a'], { operations });
    const typo = play(flow, [], { start: { before: ['deply'] } });
    await expect(typo).rejects.toThrow('unknown operation `deply`; known operations: build, deploy');
    await expect(play(deploys(done, ['a'], { operations: ['build'] }))).rejects.toThrow(
      '`deploy` is not among the operations that `release` declares: build',
    );
    expect(done).toEqual([]);
    expect(asking((await play(flow, [], { start: { before: ['deploy#1'] } })).state)).toEqual(['deploy#1']);
    const later = workflow('release', { operations, gates: { deploy: 'before' } }, async (ctx) => {
      await ctx.step('build', () => void done.push('build'));
      await ctx.step('deploy', () => 1);
    });
    expect([asking((await play(later)).state), done]).toEqual([['deploy#1'], ['build']]);
  });

  test('W69: a gate that new code has is taken with a word, and one that it has no more holds until a person moves the run', async () => {
    const done: string[] = [];
    const { state } = await play(deploys(done), [on]);
    const open = deploys(done, ['a', 'b'], {});
    await expect(goOn(state, open)).rejects.toThrow('gate before the operation deploy was removed');
    const moved = (await migrationEvents(open, { state }, ANN)).reduce(evolve, state);
    expect(moved.graph?.gates).toEqual([]);
    const later = await play(deploys(done, ['a', 'b'], { gates: { 'deploy#2': 'before' } }));
    expect(openInterrupts(later.state).filter(isOperationGate)).toHaveLength(1);
    const more: Options = { gates: { 'deploy#2': 'before', deploy: 'before' } };
    expect((await goOn(later.state, deploys(done, ['a', 'b'], more))).state.graph?.gates).toEqual([
      'deploy#2',
      'deploy',
    ]);
  });
});
