import { describe, expect, test } from 'vitest';

import type { Interrupt, JsonValue } from '../../src/core/index.js';
import { emptyState, interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import type { ChannelStep } from '../../src/testing/index.js';
import { scriptedChannel } from '../../src/testing/index.js';

const never = new AbortController().signal;

function interrupt(id: string, name: string, input: JsonValue): Interrupt {
  return makeInterrupt(
    {
      kind: 'confirmation',
      source: { type: 'tool', ref: toolRef(`r-${id}`), name, input, raisedBy: 'tool' },
      payload: true,
    },
    { id: interruptId(id), path: ROOT_PATH, raisedAt: '2026-01-01T00:00:00.000Z' },
  );
}

const pay = interrupt('i1', 'pay', { amount: 5 });
const look = interrupt('i2', 'look', {});

async function ask(steps: readonly ChannelStep[], open: readonly Interrupt[] = [pay, look]) {
  return scriptedChannel(steps).ask(open, emptyState(), never);
}

function answered({ id, digest }: Interrupt, resolution: object, place = 'answer 1') {
  const by = { type: 'script', name: 'scriptedChannel', via: 'answers', place };
  return { type: 'answered', answer: { id, digest, resolution, by } };
}

describe('a scripted channel', () => {
  test('gives an answer to the first open interrupt', async () => {
    expect(await ask([{ action: 'restart' }])).toEqual(answered(pay, { action: 'restart' }));
  });

  test.for<[string, ChannelStep]>([
    ['tool', { for: { tool: 'look' }, answer: { action: 'cancel' } }],
    ['id', { for: { id: 'i2' }, answer: { action: 'cancel' } }],
    ['input', { for: { input: {} }, answer: { action: 'cancel' } }],
    ['several', { for: { kind: 'confirmation', tool: 'look', input: {} }, answer: { action: 'cancel' } }],
  ])('gives an answer to the interrupt that it is for, by %s', async ([, step]) => {
    expect(await ask([step])).toEqual(answered(look, { action: 'cancel' }));
  });

  test('computes an answer from what is asked', async () => {
    const step: ChannelStep = { answer: ({ id }) => ({ action: 'respond', output: id }) };
    expect(await ask([step])).toEqual(answered(pay, { action: 'respond', output: 'i1' }));
  });

  test('says "always" where it is told to', async () => {
    const step: ChannelStep = { answer: { action: 'restart' }, always: true };
    expect(await ask([step])).toEqual({ ...answered(pay, { action: 'restart' }), always: true });
  });

  test('leaves open', async () => {
    expect(await ask(['leave-open'])).toEqual({ type: 'left-open', why: 'the script leaves it open' });
  });

  test('takes answers in order and remembers what was asked', async () => {
    const channel = scriptedChannel([{ action: 'restart' }, { action: 'cancel' }]);
    await channel.ask([pay, look], emptyState(), never);
    expect(await channel.ask([look], emptyState(), never)).toEqual(
      answered(look, { action: 'cancel' }, 'answer 2'),
    );
    expect(channel.asked).toEqual([[pay, look], [look]]);
    channel.assertAllUsed();
  });

  test('fails where it is asked more than it has answers', async () => {
    await expect(ask([])).rejects.toMatchObject({
      code: 'BAD_SCRIPT',
      message: 'no answers left (0 used); open: confirmation `i1` of `pay`, confirmation `i2` of `look`',
    });
  });

  test.for<[string, ChannelStep]>([
    ['kind', { for: { kind: 'question' }, answer: { action: 'cancel' } }],
    ['tool', { for: { tool: 'look' }, answer: { action: 'cancel' } }],
    ['input', { for: { input: { amount: 6 } }, answer: { action: 'cancel' } }],
    ['id', { for: { id: 'i9' }, answer: { action: 'cancel' } }],
  ])('fails where its answer is for another %s, and does not use it up', async ([, step]) => {
    const channel = scriptedChannel([step]);
    await expect(channel.ask([pay], emptyState(), never)).rejects.toMatchObject({
      code: 'BAD_SCRIPT',
      message: 'answer 1 does not match any open interrupt; open: confirmation `i1` of `pay`',
    });
    expect(() => {
      channel.assertAllUsed();
    }).toThrow('1 of 1 answers were not used');
  });

  test('asks nothing where the signal is aborted', async () => {
    const channel = scriptedChannel([{ action: 'restart' }]);
    await expect(channel.ask([pay], emptyState(), AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
      'stopped',
    );
    expect(channel.asked).toEqual([]);
  });
});
