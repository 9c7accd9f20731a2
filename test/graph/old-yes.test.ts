// A yes is for the code that was there, and it has a time: gates, questions and steps of workflows.
import { describe, expect, test } from 'vitest';

import type { JsonValue, Resolution, RunState } from '../../src/core/index.js';
import {
  answerEvents,
  emptyState,
  evolve,
  fold,
  isoTime,
  openInterrupts,
  plainAnswer,
} from '../../src/core/index.js';
import type { Graph, WorkflowContext } from '../../src/graph/index.js';
import { graph, workflow } from '../../src/graph/index.js';
import type { FakeClock } from '../../src/testing/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { scene, tool } from '../engine/drive.js';
import { ANN } from '../helpers/events.js';
import { Died, driveGraph } from './drive-graph.js';

const YES: Resolution = { action: 'continue' };
const SAID: Resolution = { action: 'respond', output: true };

/** The state after an answer, as every door keeps it. */
function decide(state: RunState, resolution: Resolution, clock: FakeClock): RunState {
  const [open] = openInterrupts(state);
  if (open === undefined) throw new Error('nothing is open');
  const answer = { id: open.id, digest: open.digest, resolution, by: ANN };
  const kept = plainAnswer(answer, { interrupt: open });
  return fold(answerEvents(kept, state, { at: isoTime(clock.now()) }), state);
}

/** What is open: the kind, and why it is asked again. */
function asked(state: RunState): unknown {
  return openInterrupts(state).map(({ kind, payload }) => [
    kind,
    (payload as { readonly changed?: JsonValue; readonly warnings?: JsonValue }).changed ??
      (payload as { readonly warnings?: JsonValue }).warnings ??
      null,
  ]);
}

interface Time {
  readonly timeout?: string;
  readonly approvalLasts?: string;
}

/** One workflow for each way in which a person lets something begin; `ran` is told of what does. */
const WAYS: Readonly<
  Record<
    string,
    (ran: JsonValue[], version: string, time: Time) => { readonly flow: Graph; readonly yes: Resolution }
  >
> = {
  'the gate before a node': (ran, version, time) => ({
    yes: YES,
    flow: graph('g')
      .fn('go', () => void ran.push(version), { gate: { before: true, ...time } })
      .end('go')
      .build(),
  }),
  'a human node': (ran, version, time) => ({
    yes: SAID,
    flow: graph('g')
      .human('go', { question: () => ({ prompt: 'Deploy?', schema: { type: 'boolean' }, ...time }) })
      .fn('do', () => void ran.push(version))
      .edge('go', 'do')
      .end('do')
      .build(),
  }),
  'a question of a body': (ran, version, time) => ({
    yes: SAID,
    flow: graph('g')
      .fn('go', async (_state, context) => {
        await context.ask({ prompt: 'Deploy?', ...time });
        ran.push(version);
      })
      .end('go')
      .build(),
  }),
  'a question of code': (ran, version, time) => ({
    yes: SAID,
    flow: workflow('go', async (ctx: WorkflowContext) => {
      await ctx.ask('ok', { prompt: 'Deploy?', schema: { type: 'boolean' }, ...time });
      await ctx.step('deploy', () => void ran.push(version));
    }),
  }),
  'a tool of code': (ran, version, time) => ({
    yes: { action: 'restart' },
    flow: workflow('go', async (ctx: WorkflowContext) => {
      const made = tool('go', () => ran.push(version), {
        needsApproval: true,
        ...(time.timeout !== undefined && { deadline: { timeout: time.timeout } }),
        ...(time.approvalLasts !== undefined && { approvalLasts: time.approvalLasts }),
      });
      await ctx.tool(made, {});
    }),
  }),
};

describe('other code than a person agreed to does not begin', () => {
  test.for(Object.entries(WAYS))('by %s: it is asked again, once (rivals 5)', async ([name, make]) => {
    const ran: JsonValue[] = [];
    const clock = fakeClock();
    const run = scene({ clock });
    const { flow, yes } = make(ran, 'old', {});
    const { state } = await driveGraph(emptyState(), { ...flow, code: 'module:a' }, { run });
    const agreed = decide(state, yes, clock);
    const changed = { ...make(ran, 'new', {}).flow, code: 'module:b' };
    const again = await driveGraph(agreed, changed, { run });
    const done = name.startsWith('a question') || name.startsWith('a human') ? 'answered' : 'approved';
    const line = `the code of \`go\` has changed since it was ${done}`;
    const why = name === 'a tool of code' ? `asked again: ${line}` : line;
    expect([asked(again.state), ran]).toEqual([[[openInterrupts(state)[0]?.kind, [why]]], []]);
    await driveGraph(decide(again.state, yes, clock), changed, { run });
    expect(ran).toEqual(['new']);
  });

  test.for(Object.entries(WAYS))('by %s: the same code does, in another process', async ([, make]) => {
    const ran: JsonValue[] = [];
    const clock = fakeClock();
    const { flow, yes } = make(ran, 'old', {});
    const coded = { ...flow, code: 'module:a' };
    const { state } = await driveGraph(emptyState(), coded, { run: scene({ clock }) });
    await driveGraph(decide(state, yes, clock), coded, { run: scene({ clock }) });
    expect(ran).toEqual(['old']);
  });

  test.for(Object.entries(WAYS))('by %s: it does where a person kept the approval', async ([, make]) => {
    const ran: JsonValue[] = [];
    const clock = fakeClock();
    const { flow, yes } = make(ran, 'old', {});
    const { state } = await driveGraph(
      emptyState(),
      { ...flow, code: 'module:a' },
      { run: scene({ clock }) },
    );
    const kept = evolve(decide(state, yes, clock), {
      type: 'approvals-kept',
      kept: [{ was: 'module:a', now: 'module:b' }],
      by: ANN,
    });
    const changed = { ...make(ran, 'new', {}).flow, code: 'module:b' };
    await driveGraph(kept, changed, { run: scene({ clock }) });
    expect(ran).toEqual(['new']);
  });

  test('by the gate before a step of code, and by a retry of one that a crash cut off', async () => {
    const ran: string[] = [];
    const clock = fakeClock();
    const make = (version: string): Graph => ({
      ...workflow('go', { gates: { deploy: 'before' } }, async (ctx) => {
        await ctx.step('deploy', () => void ran.push(version));
      }),
      code: `module:${version}`,
    });
    const run = scene({ clock });
    const { state } = await driveGraph(emptyState(), make('a'), { run });
    const again = await driveGraph(decide(state, YES, clock), make('b'), { run });
    expect(asked(again.state)).toEqual([
      ['gate', ['the code of `deploy` has changed since it was approved']],
    ]);
    const died = await driveGraph(decide(again.state, YES, clock), make('b'), { run, dieAfter: 1 }).catch(
      (thrown: unknown) => thrown,
    );
    if (!(died instanceof Died)) throw new Error('it did not die');
    const doubt = await driveGraph(died.state, make('b'), { run });
    expect(asked(doubt.state)).toEqual([['in-doubt', null]]);
    const third = await driveGraph(decide(doubt.state, { action: 'retry' }, clock), make('c'), { run });
    expect(openInterrupts(third.state)).toMatchObject([{ kind: 'gate' }]);
    expect(ran).toEqual(['b']);
  });

  test('by a retry of a node without a gate: it gets one', async () => {
    const ran: string[] = [];
    const clock = fakeClock();
    const make = (version: string): Graph => ({
      ...graph('g')
        .fn('go', () => void ran.push(version))
        .end('go')
        .build(),
      code: `module:${version}`,
    });
    const run = scene({ clock });
    const died = await driveGraph(emptyState(), make('a'), { run, dieAfter: 3 }).catch(
      (thrown: unknown) => thrown,
    );
    if (!(died instanceof Died)) throw new Error('it did not die');
    const doubt = await driveGraph(died.state, make('a'), { run });
    const retried = decide(doubt.state, { action: 'retry' }, clock);
    const again = await driveGraph(retried, make('b'), { run });
    expect(asked(again.state)).toEqual([['gate', ['the code of `go` has changed since it was approved']]]);
    await driveGraph(decide(again.state, YES, clock), make('b'), { run });
    expect(ran).toEqual(['a', 'b']);
  });

  test('and a node that failed under it is not tried again by other code without a yes', async () => {
    const ran: string[] = [];
    const clock = fakeClock({ auto: true });
    const make = (version: string): Graph => ({
      ...graph('g')
        .fn(
          'go',
          () => {
            ran.push(version);
            if (version === 'a') throw new Error('no');
          },
          { gate: { before: true }, effect: 'none', retry: { attempts: 2, delay: 0 } },
        )
        .end('go')
        .build(),
      code: `module:${version}`,
    });
    const run = scene({ clock });
    const { state } = await driveGraph(emptyState(), make('a'), { run });
    const died = await driveGraph(decide(state, YES, clock), make('a'), { run, dieAfter: 2 }).catch(
      (thrown: unknown) => thrown,
    );
    if (!(died instanceof Died)) throw new Error('it did not die');
    const again = await driveGraph(died.state, make('b'), { run });
    expect(asked(again.state)).toEqual([['gate', ['the code of `go` has changed since it was approved']]]);
    await driveGraph(decide(again.state, YES, clock), make('b'), { run });
    expect(ran).toEqual(['a', 'b']);
  });

  test('an event from outside is not asked for again', async () => {
    const got: JsonValue[] = [];
    const clock = fakeClock();
    const make = (code: string): Graph => ({
      ...workflow('go', async (ctx) => {
        const data = await ctx.event('paid');
        await ctx.step('note', () => void got.push(data));
      }),
      code,
    });
    const { state } = await driveGraph(emptyState(), make('module:a'), { run: scene({ clock }) });
    const answered = decide(state, { action: 'respond', output: { amount: 1 } }, clock);
    await driveGraph(answered, make('module:b'), { run: scene({ clock }) });
    expect(got).toEqual([{ amount: 1 }]);
  });
});

describe('a yes that is too old', () => {
  test.for(
    Object.entries(WAYS).flatMap(([name, make]) => [
      [name, 'its question', { timeout: '4s' }, make] as const,
      [name, 'what it says', { timeout: '1h', approvalLasts: '4s' }, make] as const,
    ]),
  )('lets nothing begin: by %s, for the time of %s (rivals 6)', async ([, , time, make]) => {
    const ran: JsonValue[] = [];
    const clock = fakeClock();
    const run = scene({ clock });
    const { flow, yes } = make(ran, 'one', time);
    const { state } = await driveGraph(emptyState(), flow, { run });
    const agreed = decide(state, yes, clock);
    await clock.advance(9_000);
    const again = await driveGraph(agreed, flow, { run });
    expect([openInterrupts(again.state).length, ran]).toEqual([1, []]);
    expect(JSON.stringify(asked(again.state))).toMatch(
      /(?:approved|answered) by ann at 2026-01-01 00:00:00 UTC, valid until 00:00:04 UTC/u,
    );
    await driveGraph(decide(again.state, yes, clock), flow, { run });
    expect(ran).toEqual(['one']);
  });

  test('has been used by what began with it: a later question does not bring it back', async () => {
    const ran: JsonValue[] = [];
    const clock = fakeClock();
    const run = scene({ clock });
    const flow = workflow('go', async (ctx) => {
      await ctx.ask('first', { prompt: 'Deploy?', timeout: '4s' });
      await ctx.ask('second', { prompt: 'Really?' });
      await ctx.step('deploy', () => void ran.push(1));
    });
    const { state } = await driveGraph(emptyState(), flow, { run });
    const second = await driveGraph(decide(state, SAID, clock), flow, { run });
    expect(openInterrupts(second.state)).toMatchObject([{ payload: { question: 'Really?' } }]);
    await clock.advance(60_000);
    await driveGraph(decide(second.state, SAID, clock), flow, { run });
    expect(ran).toEqual([1]);
  });
});
