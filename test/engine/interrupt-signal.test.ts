import { describe, expect, test } from 'vitest';

import { interruptIn, InterruptSignal, isInterrupt, openInterrupts } from '../../src/core/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { calls, drive, scene, tool } from './drive.js';

describe('the signal of an interrupt', () => {
  test.for([null, 0, '', false, [], {}])('keeps the payload %j', (payload) => {
    expect(new InterruptSignal(payload).payload).toEqual(payload);
  });

  test('that says nothing says true', () => {
    expect(new InterruptSignal()).toMatchObject({ payload: true, options: {} });
  });

  test('is found bare, as a cause, and of another copy of the package', () => {
    const signal = new InterruptSignal('x');
    const foreign = { payload: 'y', options: {}, [Symbol.for('hitl.interrupt')]: true };
    expect(interruptIn(signal)).toBe(signal);
    expect(interruptIn(new Error('wrapped', { cause: signal }))).toBe(signal);
    expect(interruptIn(foreign)).toBe(foreign);
    expect([signal, new Error('wrapped', { cause: signal }), new Error('x')].map(isInterrupt)).toEqual([
      true,
      true,
      false,
    ]);
    expect([new Error('x'), new Error('x', { cause: 'y' }), null, 'x', {}].map(interruptIn)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });
});

describe('an interrupt of a tool', () => {
  const hi = stateAfter(userSaid('hi'));
  async function openAfter(made: ReturnType<typeof tool>) {
    const { state } = await drive(hi, scene({ replies: [calls(['ask'])], tools: [made] }));
    return openInterrupts(state);
  }

  test('counts where the tool wraps it in an error of its own', async () => {
    const wrapping = tool('ask', (_input, context) => {
      try {
        return context.interrupt('sure?');
      } catch (cause) {
        throw new Error('wrapped', { cause });
      }
    });
    expect(await openAfter(wrapping)).toMatchObject([{ payload: 'sure?' }]);
  });

  test('counts where a hook threw it that has no context', async () => {
    const hooked = {
      ...tool('ask', () => 1),
      execute: () => Promise.reject(new Error('x', { cause: new InterruptSignal('hook') })),
    };
    expect(await openAfter(hooked)).toMatchObject([{ payload: 'hook' }]);
  });

  test('is the first one, where its tool swallows it and interrupts again', async () => {
    const insisting = tool('ask', (_input, context) => {
      try {
        return context.interrupt('first');
      } catch {
        return context.interrupt('second');
      }
    });
    expect(await openAfter(insisting)).toMatchObject([{ payload: 'first' }]);
  });

  test('may have a kind and an answer of its own', async () => {
    const schema = { type: 'number' };
    const asking = tool('ask', (_input, context) =>
      context.interrupt('how many?', { kind: 'question', answerSchema: schema }),
    );
    expect(await openAfter(asking)).toMatchObject([{ kind: 'question', answerSchema: schema }]);
  });

  test('is a question where the tool cannot be restarted, else a confirmation', async () => {
    const asking = tool('ask', (_input, context) => context.interrupt());
    expect(await openAfter(asking)).toMatchObject([{ kind: 'confirmation' }]);
    expect(await openAfter({ ...asking, restartable: false })).toMatchObject([{ kind: 'question' }]);
  });

  test.for([
    ['question', ['respond', 'cancel']],
    ['confirmation', ['reject', 'respond', 'cancel']],
    ['error', ['reject', 'respond', 'cancel']],
  ] as const)('of the kind %s cannot run a tool that only asks (case 61)', async ([kind, allowed]) => {
    const asking = tool('ask', (_input, context) => context.interrupt('?', { kind }));
    expect(await openAfter({ ...asking, restartable: false })).toMatchObject([{ kind, allowed }]);
  });
});
