import { describe, expect, test } from 'vitest';

import type { RunState, SessionEvent } from '../../src/core/index.js';
import { evolve, isHitlError, openInterrupts } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { graph, workflow } from '../../src/graph/index.js';
import { decide, Died, driveGraph, startGraph } from './drive-graph.js';

let ran = 0;

function deploy(): null {
  ran += 1;
  return null;
}

const FORMS: Readonly<
  Record<
    string,
    { readonly flow: Graph; readonly done: readonly string[]; readonly start: SessionEvent['type'] }
  >
> = {
  graph: {
    flow: graph('release')
      .human('gate', { question: () => ({ prompt: 'Deploy?' }) })
      .node('deploy', { kind: 'function', run: () => ({ done: deploy() }) })
      .edge('gate', 'deploy')
      .end('deploy')
      .build(),
    done: ['gate@1'],
    start: 'node-entered',
  },
  code: {
    flow: workflow('release', async (ctx) => {
      await ctx.ask('gate', { prompt: 'Deploy?' });
      await ctx.step('build', () => 'built'); // acts on the answer
      return ctx.step('deploy', deploy);
    }),
    done: ['build#1', 'gate#1'],
    start: 'op-started',
  },
};

const PASTS: Readonly<Record<string, { readonly event: SessionEvent; readonly says: string }>> = {
  'written elsewhere': {
    event: { type: 'approvals-voided', past: 'p' },
    says: "This session's history was written elsewhere.",
  },
  'with lost records': {
    event: { type: 'approvals-voided', past: 'p', lost: { seq: 9, mac: 'm', count: 1 } },
    says: "Part of this session's history is missing.",
  },
};

/** Somebody answers the gate; the process dies when that was acted on, before the deployment, whose start is told. */
async function actedOn(flow: Graph, start: SessionEvent['type']) {
  const first = await startGraph(flow);
  const answered = decide(first.state, { action: 'respond', output: 'yes' });
  const { events } = await driveGraph(answered, flow);
  const at = events.findLastIndex(({ type }) => type === start);
  const next = events[at];
  if (next === undefined) throw new Error(`no ${start}`);
  const dead: unknown = await driveGraph(answered, flow, { dieAfter: at }).catch((thrown: unknown) => thrown);
  ran = 0;
  if (!(dead instanceof Died)) throw new Error('it did not die');
  return { state: dead.state, next };
}

function codeOf(run: () => RunState): string {
  try {
    run();
    return 'taken';
  } catch (thrown) {
    return isHitlError(thrown) ? thrown.code : 'thrown';
  }
}

describe.for(Object.entries(FORMS))('a workflow as %s', ([, { flow, done, start }]) => {
  test.for(Object.entries(PASTS))(
    'with a past %s starts nothing until somebody continues from it',
    async ([, { event, says }]) => {
      const recorded = done.length === 1 ? '1 step is' : `${done.length} steps are`;
      const { state, next } = await actedOn(flow, start);
      const adopted = evolve(state, event);
      expect([codeOf(() => evolve(state, next)), codeOf(() => evolve(adopted, next))]).toEqual([
        'taken',
        'ILLEGAL_EVENT',
      ]);
      const stopped = await driveGraph(adopted, flow);
      expect([ran, openInterrupts(stopped.state)]).toMatchObject([
        0,
        [
          {
            kind: 'pause',
            allowed: ['continue', 'rerun', 'cancel'],
            payload: { reason: `${says} ${recorded} recorded as done. Continue from there?`, done },
          },
        ],
      ]);
      const cancelled = await driveGraph(decide(stopped.state, { action: 'cancel' }), flow);
      expect([ran, cancelled.state.ended]).toEqual([0, { type: 'aborted' }]);
      const again = await driveGraph(cancelled.state, flow);
      expect([ran, openInterrupts(again.state).map(({ kind }) => kind)]).toEqual([0, ['pause']]);
      const gone = await driveGraph(decide(stopped.state, { action: 'continue' }), flow);
      expect([ran, gone.state.ended]).toEqual([1, { type: 'done' }]);
    },
  );

  test('is not asked about a fork of one’s own, and is about one of what others wrote', async () => {
    const { state } = await actedOn(flow, start);
    const parent = { kind: 'fork', session: 'old', seq: 1 } as never;
    const own = evolve({ ...state, parent }, { type: 'approvals-voided' });
    const theirs = evolve(
      { ...state, parent: Object.assign({ foreign: true }, parent) },
      { type: 'approvals-voided' },
    );
    expect([own.graph?.unconfirmed, theirs.graph?.unconfirmed]).toEqual([undefined, 'elsewhere']);
  });

  test('takes an answer about another list, or by a rule, for none', async () => {
    const { state, next } = await actedOn(flow, start);
    const { state: asked } = await driveGraph(evolve(state, { type: 'approvals-voided', past: 'p' }), flow);
    const [question] = openInterrupts(asked);
    if (question === undefined || asked.graph === undefined) throw new Error('nothing is open');
    const { id, digest } = question;
    const byRule: SessionEvent = {
      type: 'interrupt-resolved',
      id,
      digest,
      resolution: { action: 'continue' },
      by: { type: 'rule', rule: 'r' },
      resolvedAt: question.raisedAt,
    };
    expect(codeOf(() => evolve(asked, byRule))).toBe('ILLEGAL_EVENT');
    const other = { ...question, payload: { reason: 'lunch', done: [] } };
    const forged = { ...asked, graph: asked.graph.with({ open: other }) };
    const answered = decide(forged, { action: 'continue' });
    expect([answered.graph?.unconfirmed, codeOf(() => evolve(answered, next))]).toEqual([
      'elsewhere',
      'ILLEGAL_EVENT',
    ]);
  });
});
