import { describe, expect, test } from 'vitest';

import type { Actor, Call, Interrupt, InterruptKind, Resolution } from '../../src/core/index.js';
import { textPart } from '../../src/core/index.js';
import {
  ANN,
  AT,
  interruptOf,
  modelSaid,
  raised,
  requestPart,
  resolved,
  stateAfter,
  toolSettled,
  toolStarted,
  userSaid,
} from '../helpers/events.js';

const INPUT = { amount: 1 };

/** The call after an interrupt was answered; a sibling keeps its turn open. */
function answered(interrupt: Interrupt, resolution: Resolution, by: Actor = ANN): Call {
  const state = stateAfter(
    userSaid('hi'),
    modelSaid([requestPart('pay', 'r1', INPUT), requestPart('look', 'r2')]),
    raised(interrupt),
    Object.assign(resolved(interrupt, resolution), { by }),
  );
  return state.open!.calls[0]!;
}

function ask(kind: InterruptKind, raisedBy: 'tool' | 'approval' | 'engine' = 'tool', payload = 'sure?') {
  return interruptOf('pay', 'r1', { kind, raisedBy, payload, input: INPUT });
}

/** What the model is told of a call that a person ended. */
function told(kind: InterruptKind, resolution: Resolution, payload: Interrupt['payload'] = 'sure?'): unknown {
  const call = answered(interruptOf('pay', 'r1', { kind, payload, input: INPUT }), resolution);
  return call.state.status === 'settled' ? [call.state.outcome, call.state.via] : call.state.status;
}

describe('a restart', () => {
  test('of a tool that asked hands it `true`, and approves what was shown', () => {
    const interrupt = ask('confirmation');
    const resolution = { action: 'restart' } as const;
    expect(answered(interrupt, resolution)).toEqual({
      request: requestPart('pay', 'r1', INPUT),
      input: INPUT,
      resumed: true,
      approval: { input: INPUT, edited: false, shown: 'sure?', asTyped: true },
      attempts: 0,
      state: { status: 'ready' },
      resolved: { interrupt, resolution, by: ANN, resolvedAt: AT },
    });
  });

  test.for([false, 0, '', null, { status: 'ok' }])('hands on %j as it is', (metadata) => {
    expect(answered(ask('confirmation'), { action: 'restart', metadata }).resumed).toEqual(metadata);
  });

  test.for(['approval', 'engine'] as const)(
    'of what the %s asked is no answer to the tool itself (law 7)',
    (by) => {
      const call = answered(ask('confirmation', by), { action: 'restart', metadata: 'go' });
      expect(call).not.toHaveProperty('resumed');
      expect(call.approval).toMatchObject({ input: INPUT, edited: false, shown: 'sure?' });
    },
  );

  test.for([0, '', false, null, { amount: 5 }])(
    'with the input %j replaces it and keeps the other',
    (input) => {
      const call = answered(ask('confirmation'), { action: 'restart', input });
      expect(call).toMatchObject({
        input,
        originalInput: INPUT,
        approval: { input, edited: true, shown: 'sure?' },
      });
      expect(call.request).toEqual(requestPart('pay', 'r1', INPUT));
    },
  );

  test('approves the input as it was shown, with the defaults of its schema', () => {
    const shown = { amount: 1, currency: 'EUR' };
    const interrupt = interruptOf('pay', 'r1', { input: shown, raisedBy: 'approval' });
    expect(answered(interrupt, { action: 'restart' }).approval?.input).toEqual(shown);
  });
});

describe('a retry', () => {
  test('grants no approval, and is not a restart (law 7)', () => {
    const call = answered(ask('in-doubt', 'engine'), { action: 'retry' });
    expect(call.state).toEqual({ status: 'ready' });
    expect(call).not.toHaveProperty('approval');
    expect(call).not.toHaveProperty('resumed');
  });

  test('keeps the approval and the answer that the call had', () => {
    const first = ask('confirmation');
    const doubt = interruptOf('pay', 'r1', { id: 'i2', kind: 'in-doubt', raisedBy: 'engine', input: INPUT });
    const state = stateAfter(
      userSaid('hi'),
      modelSaid([requestPart('pay', 'r1', INPUT), requestPart('look', 'r2')]),
      raised(first),
      resolved(first, { action: 'restart', metadata: 'go' }),
      toolStarted('pay', 'r1', { input: INPUT }),
      raised(doubt),
      resolved(doubt, { action: 'retry' }),
    );
    expect(state.open?.calls[0]).toMatchObject({
      resumed: 'go',
      approval: { input: INPUT, edited: false, shown: 'sure?' },
      attempts: 1,
      state: { status: 'ready' },
    });
  });
});

describe('a respond', () => {
  test.for([0, '', false, null, []])('with %j is the output', (output) => {
    const call = answered(ask('question'), { action: 'respond', output });
    expect(call.state).toEqual({ status: 'settled', outcome: { type: 'output', output }, via: 'respond' });
  });

  test('that was made by hand keeps its content and words', () => {
    const verbatim = { content: [textPart('more')], metadata: { mine: 1 } };
    const call = answered(ask('question'), { action: 'respond', output: 1, verbatim });
    expect(call.state).toEqual({
      status: 'settled',
      outcome: { type: 'output', output: 1, ...verbatim },
      via: 'respond',
    });
  });
});

describe('what the model is told', () => {
  test.for<[string | undefined, string]>([
    ['no person was available', 'no person was available; it did not run'],
    [undefined, 'the rule `deny pay` denies it; it did not run'],
  ])('of a rule that rejects with %j names no user', ([reason, message]) => {
    const resolution: Resolution = reason === undefined ? { action: 'reject' } : { action: 'reject', reason };
    const interrupt = interruptOf('pay', 'r1', { kind: 'confirmation', payload: 'sure?', input: INPUT });
    const call = answered(interrupt, resolution, { type: 'rule', rule: 'deny pay' });
    expect(call.state).toEqual({
      status: 'settled',
      outcome: { type: 'error', code: 'rejected', message },
      via: 'human',
    });
  });

  const error = (code: string, message: string) => [{ type: 'error', code, message }, 'human'];

  test.for<[InterruptKind, Resolution, string, string]>([
    ['confirmation', { action: 'reject' }, 'rejected', 'the user rejected this call; it did not run'],
    [
      'confirmation',
      { action: 'reject', reason: 'too much' },
      'rejected',
      'the user rejected this call; it did not run: too much',
    ],
    [
      'confirmation',
      { action: 'reject', reason: '' },
      'rejected',
      'the user rejected this call; it did not run',
    ],
    ['question', { action: 'cancel' }, 'cancelled', 'cancelled by the user; it did not run'],
    [
      'question',
      { action: 'cancel', reason: 'no time' },
      'cancelled',
      'the user declined to answer, and said: no time',
    ],
    ['in-doubt', { action: 'reject' }, 'aborted', 'outcome unknown after a crash; the user said: it failed'],
    [
      'in-doubt',
      { action: 'cancel', reason: 'leave it' },
      'aborted',
      'outcome unknown after a crash; the user said: cancel: leave it',
    ],
  ])('of a %s after %j', ([kind, resolution, code, message]) => {
    expect(told(kind, resolution)).toEqual(error(code, message));
  });

  test.for([
    [{ message: 'no money' }, {}, 'no money'],
    ['no money', {}, 'no money'],
    [{ message: 'no money' }, { reason: 'try less' }, 'no money: try less'],
    [{ odd: true }, {}, 'the tool failed'],
  ] as const)('of a tool that failed with %j, %j', ([payload, more, message]) => {
    expect(told('error', { action: 'reject', ...more }, payload)).toEqual(error('failed', message));
  });

  test('of a tool that failed and was cancelled', () => {
    expect(told('error', { action: 'cancel' })).toEqual(
      error('cancelled', 'cancelled by the user; it did not run'),
    );
  });
});

describe('where an outcome came from', () => {
  test('is the engine, a run or a restart', () => {
    const sibling = requestPart('look', 'r2');
    const open = [userSaid('hi'), modelSaid([requestPart('pay', 'r1', INPUT), sibling])];
    const interrupt = ask('confirmation');
    const restart = [raised(interrupt), resolved(interrupt, { action: 'restart' })];
    const vias = [
      stateAfter(...open, toolSettled('r1', 1)),
      stateAfter(...open, toolStarted('pay', 'r1'), toolSettled('r1', 1)),
      stateAfter(...open, ...restart, toolStarted('pay', 'r1', { input: INPUT }), toolSettled('r1', 1)),
    ].map(({ open: turn }) => turn!.calls[0]!.state);
    expect(vias.map((state) => (state.status === 'settled' ? state.via : state.status))).toEqual([
      'engine',
      'run',
      'restart',
    ]);
  });
});
