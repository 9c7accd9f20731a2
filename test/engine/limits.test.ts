import { describe, expect, test } from 'vitest';

import type { RunState } from '../../src/core/index.js';
import { evolve, openInterrupts } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, drive, names, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));
const priced = { inputTokens: 1, outputTokens: 1, costUsd: 1 };

/** A run whose model always wants to look once more. */
function endless(rounds: number, more: Parameters<typeof scene>[0] = {}) {
  const entered: string[] = [];
  const look = tool('look', () => entered.push('look'));
  const replies = Array.from({ length: rounds }, (_, index) => ({
    ...calls(['look', {}, `r${index + 1}`]),
    usage: priced,
  }));
  return { entered, options: scene({ replies: [...replies, 'done'], tools: [look], ...more }) };
}

function payloadOf(state: RunState): unknown {
  return openInterrupts(state).map(({ kind, payload }) => [kind, payload]);
}

describe('a limit of turns', () => {
  test('asks before the round that is one too many', async () => {
    const { options, entered } = endless(3, { limits: { maxTurns: 2 } });
    const { outcome, state } = await drive(hi, options);
    expect(outcome.type).toBe('interrupted');
    expect(payloadOf(state)).toEqual([['limit', { limit: 'turns', max: 2, spent: 2 }]]);
    expect([entered.length, options.model.requests.length]).toEqual([2, 3]);
  });

  test('that is extended goes on, and asks again when that is used up', async () => {
    const { options, entered } = endless(4, { limits: { maxTurns: 1 } });
    const first = await drive(hi, options);
    const second = await drive(answer(first.state, { action: 'extend', by: 2 }), options);
    expect(payloadOf(second.state)).toEqual([['limit', { limit: 'turns', max: 3, spent: 3 }]]);
    const third = await drive(answer(second.state, { action: 'extend', by: 1 }), options);
    expect(third.outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    expect(entered.length).toBe(4);
  });

  test('that is not extended ends the run, with an answer to each call (G21)', async () => {
    const { options, entered } = endless(2, { limits: { maxTurns: 1 } });
    const first = await drive(hi, options);
    const { outcome, events } = await drive(answer(first.state, { action: 'cancel' }), options);
    expect(events).toEqual([]);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'limit', limit: 'turns' } });
    expect(toolOutputs(outcome.state)).toEqual(['not started: limit reached (turns)']);
    expect(entered.length).toBe(1);
  });

  test('counts anew for the next message of the user', async () => {
    const { options } = endless(2, { limits: { maxTurns: 1 } });
    const first = await drive(hi, options);
    const again = evolve(answer(first.state, { action: 'cancel' }), userSaid('again'));
    expect(again).toMatchObject({ rounds: 0, turns: 2 });
    const { outcome } = await drive(again, options);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });
});

describe('a limit of cost', () => {
  test('asks before the next call of the model, and before a round', async () => {
    const { options, entered } = endless(3, { limits: { maxCostUsd: 1 } });
    const first = await drive(hi, options);
    expect(payloadOf(first.state)).toEqual([['limit', { limit: 'cost', max: 1, spent: 1 }]]);
    expect(entered.length).toBe(0);
    const second = await drive(answer(first.state, { action: 'extend', by: 0.5 }), options);
    expect(payloadOf(second.state)).toEqual([['limit', { limit: 'cost', max: 1.5, spent: 2 }]]);
  });

  test('asks where the price is not known, and does not hold once a person extended it', async () => {
    const unpriced = { inputTokens: 1, outputTokens: 1 };
    const look = tool('look', () => 'seen');
    const reply = (ref: string) => ({ ...calls(['look', {}, ref]), usage: unpriced });
    const options = scene({
      replies: [reply('r1'), reply('r2'), 'done'],
      tools: [look],
      limits: { maxCostUsd: 1 },
    });
    const first = await drive(hi, options);
    expect(payloadOf(first.state)).toEqual([['limit', { limit: 'cost', max: 1, spent: null }]]);
    const { outcome } = await drive(answer(first.state, { action: 'extend', by: 1 }), options);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });

  test('stays extended when the user speaks again', async () => {
    const { options } = endless(1, { limits: { maxCostUsd: 1 } });
    const first = await drive(hi, options);
    const done = await drive(answer(first.state, { action: 'extend', by: 10 }), options);
    expect(done.outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    const { outcome } = await drive(evolve(done.state, userSaid('again')), {
      ...options,
      model: scene({ replies: ['one', 'two', 'more'] }).model,
    });
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });
});

describe('a limit of time', () => {
  test('is that of the run, by the clock', async () => {
    const clock = fakeClock();
    const wait = tool('look', async (_input, { signal }) => {
      await clock.sleep(60, signal);
      return 'seen';
    });
    const options = scene({
      replies: [calls(['look']), 'done'],
      tools: [wait],
      clock,
      limits: { maxTimeMs: 50 },
    });
    const running = drive(hi, options);
    await clock.untilSleeping();
    await clock.advance(60);
    const { state } = await running;
    expect(payloadOf(state)).toEqual([['limit', { limit: 'time', max: 50, spent: 60 }]]);
    const { outcome } = await drive(answer(state, { action: 'extend', by: 1 }), options);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });
});

describe('a limit beside a question', () => {
  test('is asked first; what it kept from starting asks after that', async () => {
    const ask = tool('ask', (_input, context) => context.resumed ?? context.interrupt());
    const options = scene({
      replies: [{ ...calls(['look'], ['ask']), usage: priced }, 'done'],
      tools: [ask, tool('look', () => 'seen')],
      limits: { maxCostUsd: 1 },
    });
    const limited = await drive(hi, options);
    const asked = await drive(answer(limited.state, { action: 'extend', by: 5 }), options);
    expect(names(asked.events)).toEqual([
      'started r1#1',
      'started r2#1',
      'raised i2 confirmation',
      'settled r1 output',
    ]);
    const { outcome } = await drive(answer(asked.state, { action: 'restart', metadata: 'yes' }), options);
    expect(toolOutputs(outcome.state)).toEqual(['seen', 'yes']);
  });
});
