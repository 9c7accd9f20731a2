import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { RunState, SessionEvent } from '../../src/core/index.js';
import { openInterrupts, OutcomeUnknown, schemaDigest } from '../../src/core/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { AT, stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, drive, names, scene, tool, toolOutputs } from './drive.js';

/** Moves money: asks by itself, and needs approval before that. */
function transfer(moved: unknown[]) {
  return defineTool(
    {
      name: 'transfer',
      description: 'Moves money.',
      input: z.object({ amount: z.number() }),
      output: z.object({ moved: z.number() }),
      needsApproval: true,
    },
    ({ amount }, context) => {
      if (context.resumed === undefined) return context.interrupt({ confirm: amount });
      moved.push({ amount, attempt: context.attempt, approved: context.approved });
      return { moved: amount };
    },
  );
}

/** The state that a process leaves behind which dies right after the n-th start of a tool. */
async function deadAfterStart(nth: number, moved: unknown[]) {
  const options = scene({ replies: [calls(['transfer', { amount: 5 }]), 'done'], tools: [transfer(moved)] });
  const opened: SessionEvent = { type: 'session-opened', epoch: 1, pid: 4711, host: 'h' };
  const events: SessionEvent[] = [opened, userSaid('hi')];
  let state = stateAfter(...events);
  let starts = 0;
  for (;;) {
    const driven = await drive(state, options);
    for (const event of driven.events) {
      events.push(event);
      if (event.type === 'tool-started' && (starts += 1) === nth)
        return { state: stateAfter(...events), options };
    }
    state = answer(driven.state, { action: 'restart' });
    const { interrupt } = state.resolved.at(-1)!;
    events.push({
      type: 'interrupt-resolved',
      id: interrupt.id,
      digest: interrupt.digest,
      resolution: { action: 'restart' },
      by: state.resolved.at(-1)!.by,
      resolvedAt: AT,
    });
  }
}

async function doubted(nth: number, moved: unknown[] = []) {
  const { state, options } = await deadAfterStart(nth, moved);
  moved.length = 0; // what the dead process did is not what the next one does
  const { state: asked } = await drive(state, options);
  return { asked, options, moved };
}

describe('a call that was running when its process died', () => {
  test('is asked about for this session and for the tool as it is (G11)', async () => {
    const { state, options } = await deadAfterStart(1, []);
    const digests = await Promise.all(
      [options, { ...options, runId: 'another' }, { ...options, tools: toolSet([]) }].map(async (one) => {
        const { state: asked } = await drive(state, one);
        return openInterrupts(asked)
          .map(({ kind, digest }) => `${kind} ${digest}`)
          .join();
      }),
    );
    expect(new Set(digests).size).toBe(3);
    expect(digests.every((digest) => digest.startsWith('in-doubt '))).toBe(true);
  });

  test('is asked about, with what is known of it', async () => {
    const { asked } = await doubted(2);
    expect(openInterrupts(asked)).toEqual([
      {
        bound: { run: 'run', tool: schemaDigest(transfer([])) },
        id: 'i3',
        kind: 'in-doubt',
        source: { type: 'tool', ref: 'r1', name: 'transfer', input: { amount: 5 }, raisedBy: 'engine' },
        path: '',
        payload: { startedAt: AT, attempt: 2, pid: 4711 },
        answerSchema: expect.objectContaining({ type: 'object' }) as object,
        allowed: ['respond', 'retry', 'reject', 'cancel'],
        digest: expect.any(String) as string,
        raisedAt: AT,
      },
    ]);
  });

  test('is asked about once, also by the process after the next', async () => {
    const { asked, options } = await doubted(2);
    const { events, outcome } = await drive(asked, options);
    expect(events).toEqual([]);
    expect(outcome.type).toBe('interrupted');
  });

  test('that did happen goes on with its result, and does not run', async () => {
    const { asked, options, moved } = await doubted(2);
    const { state } = await drive(answer(asked, { action: 'respond', output: { moved: 5 } }), options);
    expect(toolOutputs(state)).toEqual([{ moved: 5 }]);
    expect(moved).toEqual([]);
    expect(state.ended).toEqual({ type: 'done' });
  });

  test('that is retried keeps the approval and the answer it had (law 7)', async () => {
    const { asked, options, moved } = await doubted(2);
    const { state, events } = await drive(answer(asked, { action: 'retry' }), options);
    expect(names(events)[0]).toBe('started r1#3');
    expect(moved).toEqual([{ amount: 5, attempt: 3, approved: { shown: { confirm: 5 }, edited: false } }]);
    expect(toolOutputs(state)).toEqual([{ moved: 5 }]);
  });

  test('that is retried before its own question was answered asks it (law 7)', async () => {
    const { asked, options, moved } = await doubted(1);
    const { state, events } = await drive(answer(asked, { action: 'retry' }), options);
    expect(names(events)).toEqual(['started r1#2', 'raised i3 confirmation']);
    expect(openInterrupts(state)).toMatchObject([{ payload: { confirm: 5 }, source: { raisedBy: 'tool' } }]);
    expect(moved).toEqual([]);
  });

  test.for([
    [{ action: 'reject' }, 'outcome unknown after a crash; the user said: it failed'],
    [
      { action: 'cancel', reason: 'I will look' },
      'outcome unknown after a crash; the user said: cancel: I will look',
    ],
  ] as const)('tells the model what is known, after %j', async ([resolution, told]) => {
    const { asked, options, moved } = await doubted(2);
    const { state } = await drive(answer(asked, resolution), options);
    expect(toolOutputs(state)).toEqual([told]);
    expect(moved).toEqual([]);
  });

  test('is asked about also where its tool is gone', async () => {
    const { state } = await deadAfterStart(1, []);
    const { outcome } = await drive(state, scene());
    expect(outcome).toMatchObject({ interrupts: [{ kind: 'in-doubt' }] });
    expect(outcome).not.toHaveProperty('interrupts.0.answerSchema');
  });
});

describe('siblings of a call in doubt', () => {
  test('that had not started run, and wait with it for the model', async () => {
    const options = scene({
      replies: [calls(['once'], ['look']), 'done'],
      tools: [tool('once', () => 'did'), tool('look', () => 'seen', { effect: 'none' })],
    });
    const whole = await drive(stateAfter(userSaid('hi')), options);
    const started = whole.events.findIndex(({ type }) => type === 'tool-started') + 1;
    const cut: RunState = stateAfter(userSaid('hi'), ...whole.events.slice(0, started));
    const { events, state } = await drive(cut, options);
    expect(names(events)).toEqual(['raised i1 in-doubt', 'started r2#1', 'settled r2 output']);
    const { state: after } = await drive(answer(state, { action: 'respond', output: 'it did' }), options);
    expect(toolOutputs(after)).toEqual(['it did', 'seen']);
  });
});

describe('a body that cannot tell whether its work was done', () => {
  const lost = (effect: 'once' | 'idempotent') =>
    defineTool({ name: 'send', description: 'Sends.', effect }, () => {
      throw new OutcomeUnknown('the other side went away');
    });

  test('leaves a call with lasting effects in doubt, and a person is asked in the same run', async () => {
    const options = scene({ replies: [calls(['send', {}]), 'done'], tools: [lost('once')] });
    const { state } = await drive(stateAfter(userSaid('hi')), options);
    expect(openInterrupts(state).map(({ kind }) => kind)).toEqual(['in-doubt']);
  });

  test('has failed where a second run does no harm, and is not run again by itself', async () => {
    const options = scene({ replies: [calls(['send', {}]), 'done'], tools: [lost('idempotent')] });
    const { state, events } = await drive(stateAfter(userSaid('hi')), options);
    expect(toolOutputs(state)).toEqual([expect.stringContaining('the other side went away')]);
    expect(events.filter(({ type }) => type === 'tool-started')).toHaveLength(1);
  });
});
