import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Message, RunState, SessionEvent } from '../../src/core/index.js';
import {
  checkMessages,
  closeSettledTurn,
  deepFreeze,
  emptyState,
  evolve,
  fold,
  interruptId,
  openInterrupts,
  textPart,
  toolRef,
} from '../../src/core/index.js';
import { sessionEvents } from '../helpers/arbitraries.js';
import {
  ANN,
  AT,
  ended,
  interruptOf,
  limitReached,
  modelSaid,
  raised,
  requestPart,
  resolved,
  stateAfter,
  toolSettled,
  toolStarted,
  userSaid,
} from '../helpers/events.js';

const hello = userSaid('hello');
const pays = modelSaid([textPart('paying'), requestPart('pay', 'r1', { amount: 1 })]);
const paysTwice = modelSaid([requestPart('pay', 'r1', { amount: 1 }), requestPart('pay', 'r2')]);
const asked = interruptOf('pay', 'r1', { input: { amount: 1 } });

/** A state without the tails that lists share, for comparison. */
function plain(state: RunState): object {
  const { entries, view, resolved: answers, refs, ...rest } = state;
  return {
    ...rest,
    entries: entries.toArray(),
    view: view.toArray(),
    resolved: answers.toArray(),
    refs: refs.size,
  };
}

/** Freezes everything of a state that is not one of the growing lists. */
function frozen(state: RunState): RunState {
  const { entries, view, resolved: answers, refs: _refs, ...rest } = state;
  deepFreeze(rest);
  for (const list of [entries, view, answers]) for (const item of list) deepFreeze(item);
  return Object.freeze(state);
}

function illegal(state: RunState, event: SessionEvent): unknown {
  try {
    return evolve(state, event);
  } catch (error) {
    return error;
  }
}

describe('a user message', () => {
  test('counts a turn and begins new rounds', () => {
    const state = stateAfter(hello, pays, toolSettled('r1', 'paid'), userSaid('again'));
    expect(state).toMatchObject({ turns: 2, rounds: 0, modelAttempts: 0 });
    expect(state.view.toArray().map(({ role }) => role)).toEqual(['user', 'model', 'tool', 'user']);
  });

  test('takes back what extended turns and time, and keeps what extended the cost of the session', () => {
    const extended = ['turns', 'cost', 'time'].flatMap((limit, index) => {
      const gate = limitReached(limit, `i${index + 1}`);
      return [raised(gate), resolved(gate, { action: 'extend', by: 10 })];
    });
    const before = stateAfter(hello, ...extended);
    expect(before.extended).toEqual({ rounds: 10, costUsd: 10, timeMs: 10 });
    expect(evolve(before, hello).extended).toEqual({ rounds: 0, costUsd: 10, timeMs: 0 });
  });

  test('takes back why the run before ended', () => {
    expect(stateAfter(hello, ended(), hello).ended).toBeUndefined();
  });
});

describe('a model message', () => {
  test('adds up usage and forgets the attempts at it', () => {
    const usage = { inputTokens: 1, outputTokens: 2, costUsd: 0.5 };
    const state = stateAfter(
      hello,
      { type: 'model-started', attempt: 1 },
      { type: 'model-started', attempt: 2 },
      modelSaid([textPart('a')], usage),
      hello,
      modelSaid([textPart('b')], usage),
    );
    expect(state.usage).toEqual({ inputTokens: 2, outputTokens: 4, costUsd: 1 });
    expect(state.modelAttempts).toBe(0);
    expect(stateAfter(hello, { type: 'model-started', attempt: 2 }).modelAttempts).toBe(2);
  });

  test('with tool requests waits until all of them are settled', () => {
    const open = stateAfter(hello, paysTwice, toolSettled('r2', 'second'));
    expect(open.entries.length).toBe(1);
    expect(open.open?.calls.map(({ state }) => state.status)).toEqual(['ready', 'settled']);
    const closed = evolve(open, toolSettled('r1', 'first'));
    expect(closed.open).toBeUndefined();
    expect(closed.rounds).toBe(1);
    expect(closed.entries.at(-1)?.message).toEqual({
      role: 'tool',
      content: [
        { type: 'tool-response', ref: 'r1', name: 'pay', output: 'first' },
        { type: 'tool-response', ref: 'r2', name: 'pay', output: 'second' },
      ],
    });
    expect(closed.entries.at(-2)?.calls?.map(({ state }) => state.status)).toEqual(['settled', 'settled']);
  });

  test.for([[[]], [[textPart('')]]])(
    'with nothing in it is history, and no model is sent it',
    ([content]) => {
      const state = stateAfter(hello, modelSaid(content!));
      expect(state.entries.length).toBe(2);
      expect(state.view.length).toBe(1);
    },
  );

  test('is sent with an edited input, and kept as it was written', () => {
    const state = stateAfter(
      hello,
      pays,
      raised(asked),
      resolved(asked, { action: 'restart', input: { amount: 5 } }),
      toolStarted('pay', 'r1', { input: { amount: 5 } }),
      toolSettled('r1', { type: 'output', output: 'paid', content: [textPart('slip')], metadata: { no: 1 } }),
    );
    const written = [textPart('paying'), requestPart('pay', 'r1', { amount: 1 })];
    expect(state.entries.at(1)?.message.content).toEqual(written);
    expect(state.view.at(1)?.content).toEqual([textPart('paying'), requestPart('pay', 'r1', { amount: 5 })]);
    expect(state.view.at(2)?.content).toEqual([
      {
        type: 'tool-response',
        ref: 'r1',
        name: 'pay',
        output: 'paid',
        content: [textPart('slip')],
        metadata: { no: 1 },
      },
    ]);
  });
});

describe("requests in a message that is not the model's", () => {
  test('wait for nothing', () => {
    const message: Message = { role: 'user', content: [requestPart('pay', 'r1')] };
    expect(stateAfter({ type: 'message-added', message }).open).toBeUndefined();
  });
});

describe('the session itself', () => {
  test('keeps who it talks to, who writes it, and what was allowed', () => {
    const agent = { model: 'demo', tools: [] };
    const rule = { effect: 'allow', tool: 'look', toolDigest: 'd' } as const;
    const state = stateAfter(
      { type: 'session-created', agent, title: 'T', cwd: '/tmp', parent: { kind: 'import' } },
      { type: 'session-opened', epoch: 2, pid: 7, host: 'h' },
      { type: 'agent-changed', agent: { ...agent, system: 'be kind' } },
      { type: 'rule-added', rule, by: ANN },
      ended({ type: 'failed', error: { code: 'MODEL_FAILED', message: 'no' } }),
    );
    expect(plain(state)).toEqual({
      ...plain(emptyState()),
      agent: { ...agent, system: 'be kind' },
      title: 'T',
      cwd: '/tmp',
      parent: { kind: 'import' },
      writer: { epoch: 2, pid: 7, host: 'h' },
      rules: [{ ...rule, madeAt: 0 }],
      ended: { type: 'failed', error: { code: 'MODEL_FAILED', message: 'no' } },
    });
  });
});

describe('a rule of the session', () => {
  const rule = (tool: string, toolDigest = 'd') =>
    ({ type: 'rule-added', rule: { effect: 'allow', tool, toolDigest }, by: ANN }) as const;
  const removed = { type: 'rule-removed', tool: 'look', by: ANN } as const;

  test('is taken back by the name of its tool', () => {
    const state = stateAfter(rule('look'), rule('look', 'e'), rule('pay'), removed);
    expect(state.rules.map(({ tool }) => tool)).toEqual(['pay']);
  });

  test('that is not there cannot be taken back', () => {
    expect(() => stateAfter(rule('pay'), removed)).toThrow('there is no rule for `look`');
  });
});

describe('a limit', () => {
  const gate = limitReached('turns');

  test('is an open interrupt of the run, after those of the calls', () => {
    const state = stateAfter(hello, pays, raised(asked), raised(limitReached('turns', 'i2')));
    expect(openInterrupts(state).map(({ id }) => id)).toEqual(['i1', 'i2']);
    expect(state.interruptCount).toBe(2);
  });

  test('that is not extended answers the calls that it keeps from starting (G21)', () => {
    const state = stateAfter(hello, paysTwice, raised(gate), resolved(gate, { action: 'cancel' }));
    expect(state.ended).toEqual({ type: 'limit', limit: 'turns' });
    expect(state.asks).toBeUndefined();
    const output = 'not started: limit reached (turns)';
    expect(state.view.at(-1)?.content).toEqual([
      { type: 'tool-response', ref: 'r1', name: 'pay', output, isError: true },
      { type: 'tool-response', ref: 'r2', name: 'pay', output, isError: true },
    ]);
  });

  test('that is not extended leaves a call open that waits for a person, and stands', () => {
    const second = limitReached('turns', 'i2');
    const stopped = stateAfter(
      hello,
      paysTwice,
      raised(asked),
      raised(second),
      resolved(second, { action: 'cancel' }),
    );
    expect(stopped.open?.calls.map(({ state }) => state.status)).toEqual(['interrupted', 'settled']);
    const answered = evolve(stopped, resolved(asked, { action: 'reject' }));
    expect(answered.ended).toEqual({ type: 'limit', limit: 'turns' });
  });

  test('without a turn behind it only ends the run', () => {
    const state = stateAfter(hello, raised(gate), resolved(gate, { action: 'cancel' }));
    expect([state.entries.length, state.ended]).toEqual([1, { type: 'limit', limit: 'turns' }]);
  });

  test.for([{ payload: 'odd' }, { payload: {} }])(
    'with the payload $payload is of an unknown kind',
    (odd) => {
      const unnamed = { ...gate, ...odd };
      const state = stateAfter(hello, raised(unnamed), resolved(unnamed, { action: 'cancel' }));
      expect(state.ended).toEqual({ type: 'limit', limit: 'unknown' });
    },
  );
});

describe('an answer', () => {
  test.for([
    [{ type: 'aborted' }, undefined],
    [{ type: 'failed', error: { code: 'X', message: 'x' } }, undefined],
  ] as const)('lets a run go on that ended as %j', ([reason, after]) => {
    const state = stateAfter(hello, paysTwice, raised(asked), ended(reason));
    expect(state.ended).toEqual(reason);
    expect(evolve(state, resolved(asked, { action: 'restart' })).ended).toEqual(after);
  });

  test('is kept with who gave it and when', () => {
    const state = stateAfter(hello, pays, raised(asked), resolved(asked, { action: 'cancel' }));
    expect(state.resolved.toArray()).toEqual([
      { interrupt: asked, resolution: { action: 'cancel' }, by: ANN, resolvedAt: AT },
    ]);
  });
});

describe('E2: what does not fit is refused', () => {
  const waits = stateAfter(hello, paysTwice, raised(asked));
  const gate = limitReached('turns');
  const started = stateAfter(hello, pays, toolStarted('pay', 'r1'));
  const unknown: SessionEvent = { type: 'forgotten' } as never;

  test.for<[string, RunState, SessionEvent, string]>([
    ['a message while calls are open', waits, hello, 'still has open tool calls'],
    [
      'a tool message from outside',
      stateAfter(hello),
      { type: 'message-added', message: { role: 'tool', content: [] } },
      'created from settled calls',
    ],
    [
      'a ref twice in a message',
      stateAfter(hello),
      modelSaid([requestPart('a', 'x'), requestPart('b', 'x')]),
      '`x` is not unique',
    ],
    [
      'a ref of an earlier turn',
      stateAfter(hello, pays, toolSettled('r1', 1), hello),
      pays,
      '`r1` is not unique',
    ],
    ['a start of no call', stateAfter(hello), toolStarted('pay', 'r1'), 'no open call `r1`'],
    ['a start of another call', waits, toolStarted('pay', 'r9'), 'no open call `r9`'],
    ['a start of a call that waits', waits, toolStarted('pay', 'r1'), '`r1` is interrupted'],
    [
      'a start out of order',
      stateAfter(hello, pays),
      toolStarted('pay', 'r1', { attempt: 2 }),
      'attempt 2 after 0',
    ],
    ['a second first attempt', started, toolStarted('pay', 'r1'), 'attempt 1 after 1'],
    ['a result of a call that waits', waits, toolSettled('r1', 1), '`r1` is interrupted'],
    [
      'a result of a settled call',
      stateAfter(hello, paysTwice, toolSettled('r1', 1)),
      toolSettled('r1', 2),
      '`r1` is settled',
    ],
    [
      'an interrupt of a call that waits',
      waits,
      raised({ ...asked, id: interruptId('i2') }),
      '`r1` is interrupted',
    ],
    [
      'a second interrupt with the id of an open one',
      waits,
      raised(interruptOf('pay', 'r2')),
      '`i1` is already open',
    ],
    [
      'a second limit',
      stateAfter(hello, raised(gate)),
      raised(limitReached('cost', 'i2')),
      "the run's interrupt `i1` is still open",
    ],
    ['an answer to nothing', stateAfter(hello), resolved(asked, { action: 'cancel' }), '`i1` is not open'],
    [
      'an answer to another input',
      waits,
      resolved({ ...asked, digest: 'other' }, { action: 'restart' }),
      '`pay#r1` (i1) has changed since it was shown',
    ],
    [
      'an answer that the kind does not take',
      waits,
      resolved(asked, { action: 'retry' }),
      '`retry` does not answer `pay#r1` (i1); it takes: restart, reject, respond, cancel',
    ],
    [
      'an answer that no call takes',
      stateAfter(hello, pays, raised({ ...asked, allowed: ['skip'] })),
      resolved(asked, { action: 'skip' }),
      '`skip` is not valid for a tool call',
    ],
    [
      'an answer that no limit takes',
      stateAfter(hello, raised({ ...gate, allowed: ['pause'] })),
      resolved(gate, { action: 'pause' }),
      '`pause` is not valid for a limit',
    ],
    [
      'an import into a session that has begun',
      stateAfter(hello),
      { type: 'history-imported', messages: [] },
      'the session has already started',
    ],
    [
      'an import with a ref twice',
      emptyState(),
      {
        type: 'history-imported',
        messages: [{ role: 'model', content: [requestPart('a', 'x'), requestPart('b', 'x')] }],
      },
      '`x` is not unique',
    ],
    ['an event of a later version', stateAfter(hello), unknown, 'this version does not know this event type'],
  ])('%s', ([, state, event, words]) => {
    const before = plain(state);
    expect(illegal(state, event)).toMatchObject({
      code: 'ILLEGAL_EVENT',
      status: 'DATA_LOSS',
      message: expect.stringContaining(words) as string,
    });
    expect(plain(state)).toEqual(before);
  });
});

describe('E1: a state is never changed', () => {
  test('not by any event of any session', () => {
    fc.assert(
      fc.property(sessionEvents(), (events) => {
        let state = frozen(emptyState());
        const past: [RunState, object][] = [];
        for (const event of events) {
          past.push([state, structuredClone(plain(state))]);
          state = frozen(evolve(state, deepFreeze(event)));
        }
        for (const [then, copy] of past) expect(plain(then)).toEqual(copy);
      }),
      { numRuns: 60 },
    );
  });

  test('two continuations of one past do not see each other', () => {
    const past = stateAfter(hello, modelSaid([textPart('hi')]));
    const left = fold([userSaid('left'), pays], past);
    const right = fold(
      [userSaid('right'), modelSaid([requestPart('pay', 'r1'), requestPart('pay', 'r2')])],
      past,
    );
    expect(left.view.at(-1)).toEqual({ role: 'user', content: [textPart('left')] });
    expect(right.view.at(-1)).toEqual({ role: 'user', content: [textPart('right')] });
    expect([left.refs.has('r2'), right.refs.has('r2'), past.refs.has('r1')]).toEqual([false, true, false]);
  });
});

describe('E3: the work for an event does not depend on the length of the session', () => {
  /** Messages that count how often anything of them is looked at. */
  function looksPerTurn(turns: number): number {
    let looks = 0;
    const watched = (message: Message): Message =>
      new Proxy(message, {
        get: (target, key, receiver) => {
          looks += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
        ownKeys: (target) => {
          looks += 1;
          return Reflect.ownKeys(target);
        },
      });
    const events: SessionEvent[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const ref = `r${turn}`;
      const said = [userSaid('hi'), modelSaid([requestPart('pay', ref)]), modelSaid([textPart('done')])];
      const [user, request, reply] = said.map((event) =>
        event.type === 'message-added' ? { ...event, message: watched(event.message) } : event,
      );
      const settled: SessionEvent = {
        type: 'tool-settled',
        ref: toolRef(ref),
        outcome: { type: 'output', output: turn },
      };
      events.push(user!, request!, toolStarted('pay', ref), settled, reply!, ended());
    }
    fold(events);
    return looks / turns;
  }

  test('a turn looks at as many messages in a session of 10 turns as in one of 1,000', () => {
    expect(looksPerTurn(10)).toBeGreaterThan(0);
    expect(looksPerTurn(1_000)).toBe(looksPerTurn(10));
  });
});

describe('a fold', () => {
  test('of a prefix, continued, is the fold of the whole', () => {
    fc.assert(
      fc.property(sessionEvents(), fc.nat(), (events, cut) => {
        const at = cut % (events.length + 1);
        const whole = fold(events);
        expect(plain(fold(events.slice(at), fold(events.slice(0, at))))).toEqual(plain(whole));
      }),
    );
  });

  test('G19: of any prefix gives messages that a model API takes', () => {
    fc.assert(
      fc.property(sessionEvents(), (events) => {
        let state = emptyState();
        for (const event of events) {
          state = evolve(state, event);
          const sent = state.view.toArray();
          const first = sent.findIndex(({ role }) => role === 'user');
          if (first === 0) expect(checkMessages(sent)).toEqual([]);
        }
      }),
    );
  });

  test('of events through JSON is the fold of the events', () => {
    fc.assert(
      fc.property(sessionEvents(), (events) => {
        const loaded = JSON.parse(JSON.stringify(events)) as readonly SessionEvent[];
        expect(plain(fold(loaded))).toEqual(plain(fold(events)));
      }),
    );
  });
});

describe('closing a turn', () => {
  test('leaves a state alone that has nothing to close', () => {
    const states = [emptyState(), stateAfter(hello), stateAfter(hello, paysTwice, toolSettled('r1', 1))];
    for (const state of states) expect(closeSettledTurn(state)).toBe(state);
  });
});
