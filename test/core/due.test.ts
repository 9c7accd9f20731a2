import { describe, expect, test } from 'vitest';

import type { Interrupt, InterruptDraft, RunState, SessionEvent } from '../../src/core/index.js';
import {
  answerProblem,
  deadlineOf,
  dueEvent,
  evolve,
  fireDue,
  HitlError,
  nextTimer,
  openInterrupts,
  shapeProblem,
  timeOf,
} from '../../src/core/index.js';
import { sessionEventSchema } from '../../src/core/told/schemas.js';
import {
  ANN,
  AT,
  interruptOf,
  modelSaid,
  raised,
  requestPart,
  stateAfter,
  userSaid,
} from '../helpers/events.js';

const START = timeOf(AT);
const SECOND = 1000;

/** A chat in which one call asks with a deadline. */
function asking(draft: Partial<InterruptDraft>, kind: Interrupt['kind'] = 'confirmation'): RunState {
  return stateAfter(
    userSaid('go'),
    modelSaid([requestPart('pay', 'r1')]),
    raised(interruptOf('pay', 'r1', { kind, draft })),
  );
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'nothing';
  } catch (thrown) {
    return thrown instanceof HitlError ? thrown.code : String(thrown);
  }
}

/** The state after all that is due at a moment, and what that was. */
async function firedAt(state: RunState, now: number) {
  const session = { state };
  const events: SessionEvent[] = [];
  await fireDue(session, now, (event) => {
    events.push(event);
    session.state = evolve(session.state, event);
    return Promise.resolve();
  });
  return { state: session.state, events };
}

const firstOpen = (state: RunState): Interrupt => {
  const [interrupt] = openInterrupts(state);
  if (interrupt === undefined) throw new Error('nothing is open');
  return interrupt;
};

describe('a question with a deadline', () => {
  test('is over at its moment, and not before', () => {
    const state = asking({ timeoutMs: 2 * SECOND });
    expect(firstOpen(state).expiresAt).toBe('2026-01-01T00:00:02.000Z');
    expect(nextTimer(state)?.at).toBe(START + 2 * SECOND);
    expect(dueEvent(state, START + 2 * SECOND - 1)).toBeUndefined();
    expect(dueEvent(state, START + 2 * SECOND)).toEqual({
      type: 'interrupt-resolved',
      id: 'i1',
      digest: firstOpen(state).digest,
      resolution: { action: 'reject', reason: 'nobody answered in time (2 s)' },
      by: { type: 'clock' },
      resolvedAt: '2026-01-01T00:00:02.000Z',
    });
  });

  test('that is not answered settles its call, and the model is told that nobody answered', async () => {
    const { state } = await firedAt(asking({ timeoutMs: SECOND }), START + SECOND);
    expect(openInterrupts(state)).toEqual([]);
    expect(JSON.stringify(state.entries.at(-1)?.message)).toContain(
      'nobody answered in time (1 s); it did not run',
    );
    const again = await firedAt(state, START + 10 * SECOND);
    expect(again.events).toEqual([]);
  });

  test('is over at once where its moment cannot be read', () => {
    expect(dueEvent(asking({ expiresAt: 'soon' }), 0)?.type).toBe('interrupt-resolved');
  });

  test('gives its value where it is a question with a schema that the value fits', () => {
    const draft = {
      timeoutMs: SECOND,
      answerSchema: { type: 'string' },
      onTimeout: { action: 'respond', output: 'no idea' },
    } as const;
    const event = dueEvent(asking(draft, 'question'), START + SECOND);
    expect(event).toMatchObject({ resolution: { action: 'respond', output: 'no idea' } });
  });

  test.for<[string, Interrupt['kind'], Partial<InterruptDraft>]>([
    ['a confirmation', 'confirmation', { answerSchema: { type: 'string' } }],
    ['a question without a schema', 'question', {}],
    [
      'a question whose schema it does not match its schema',
      'question',
      { answerSchema: { type: 'number' } },
    ],
  ])('never takes the value for the answer to %s', ([, kind, more]) => {
    const onTimeout = { action: 'respond', output: 'yes' } as const;
    const event = dueEvent(asking({ timeoutMs: SECOND, onTimeout, ...more }, kind), START + SECOND);
    expect(event).toMatchObject({
      resolution: {
        action: kind === 'question' ? 'cancel' : 'reject',
        reason: 'nobody answered in time (1 s)',
      },
    });
  });

  test('cannot be answered any more once the journal says that it is over', async () => {
    const before = asking({ timeoutMs: SECOND });
    const { id, digest } = firstOpen(before);
    const answer = { id, digest, resolution: { action: 'restart' }, by: ANN } as const;
    expect(answerProblem(before, answer)).toBeUndefined();
    const { state } = await firedAt(before, START + SECOND);
    expect(answerProblem(state, answer)).toEqual({
      kind: 'stale',
      message: '`pay#r1` (i1) was already answered: reject, by the clock',
    });
  });
});

describe('what the clock may say (G11)', () => {
  const said = (state: RunState, more: object): SessionEvent => {
    const { id, digest } = firstOpen(state);
    const event = {
      type: 'interrupt-resolved',
      id,
      digest,
      resolution: { action: 'reject', reason: 'nobody answered in time (1 s)' },
      by: { type: 'clock' },
      resolvedAt: '2026-01-01T00:00:01.000Z',
    };
    return sessionEventSchema.parse({ ...event, ...more });
  };

  test('is what the question said, when its time is over', () => {
    const state = asking({ timeoutMs: SECOND });
    expect(codeOf(() => evolve(state, said(state, {})))).toBe('nothing');
  });

  test.for<[string, object]>([
    ['an approval', { resolution: { action: 'restart' } }],
    ['another outcome', { resolution: { action: 'cancel' } }],
    ['anything before the moment', { resolvedAt: '2026-01-01T00:00:00.999Z' }],
    ['anything about another question', { digest: '0'.repeat(64) }],
  ])('is never %s', ([, more]) => {
    const state = asking({ timeoutMs: SECOND });
    expect(codeOf(() => evolve(state, said(state, more)))).toBe('ILLEGAL_EVENT');
  });

  test('is nothing about a question without a deadline', () => {
    const state = asking({});
    expect(codeOf(() => evolve(state, said(state, {})))).toBe('ILLEGAL_EVENT');
  });

  test('is said by nobody from outside', () => {
    const { id, digest } = firstOpen(asking({ timeoutMs: SECOND }));
    const answer = { id, digest, resolution: { action: 'reject' }, by: { type: 'clock' } };
    expect(shapeProblem(answer)).toBe('`by.type` must be person, script or rule');
  });
});

describe('a question that goes to somebody else', () => {
  const state = asking({
    timeoutMs: SECOND,
    payload: { reason: 'it is much' },
    ...deadlineOf({
      timeout: '1s',
      onTimeout: { escalate: { to: 'lead', prompt: 'Ann is away', timeout: '5s', onTimeout: 'cancel' } },
    }),
  });

  test('asks the same under a new id, with the time that they have from then on', async () => {
    const { state: after, events } = await firedAt(state, START + 60 * SECOND);
    const before = firstOpen(state);
    expect(events.map(({ type }) => type)).toEqual(['interrupt-escalated']);
    expect(after.interruptCount).toBe(2);
    expect(openInterrupts(after)).toEqual([
      {
        id: 'i2',
        kind: before.kind,
        source: before.source,
        path: before.path,
        payload: before.payload,
        allowed: before.allowed,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        raisedAt: '2026-01-01T00:01:00.000Z',
        expiresAt: '2026-01-01T00:01:05.000Z',
        onTimeout: { action: 'cancel' },
        escalated: { id: 'i1', to: 'lead', prompt: 'Ann is away' },
      },
    ]);
    expect(firstOpen(after).digest).not.toBe(before.digest);
  });

  test('says to an answer that comes late who is asked now', async () => {
    const { state: after } = await firedAt(state, START + SECOND);
    const { id, digest } = firstOpen(state);
    expect(answerProblem(after, { id, digest, resolution: { action: 'restart' }, by: ANN })).toEqual({
      kind: 'stale',
      message: 'interrupt `i1` was not answered in time; it was escalated to lead as `i2`',
    });
  });

  test('ends as its own deadline says where nobody answers that either', async () => {
    const { state: asked } = await firedAt(state, START + SECOND);
    const { events } = await firedAt(asked, START + 6 * SECOND);
    expect(events).toMatchObject([{ id: 'i2', resolution: { action: 'cancel' }, by: { type: 'clock' } }]);
  });

  test.for<[string, (event: SessionEvent & { type: 'interrupt-escalated' }) => object]>([
    ['about another input', ({ interrupt }) => ({ ...interrupt, source: { ...interrupt.source, input: 7 } })],
    [
      'with more ways to answer',
      ({ interrupt }) => ({ ...interrupt, allowed: [...interrupt.allowed, 'skip'] }),
    ],
    ['with other words', ({ interrupt }) => ({ ...interrupt, payload: 'all is well' })],
    ['before its time', ({ interrupt }) => ({ ...interrupt, raisedAt: AT })],
    ['for another question', ({ interrupt }) => ({ ...interrupt, escalated: { id: 'i9', to: 'lead' } })],
  ])('is never one %s', ([, change]) => {
    const event = dueEvent(state, START + SECOND);
    if (event?.type !== 'interrupt-escalated') throw new Error('nobody is asked');
    const changed = sessionEventSchema.parse({ ...event, interrupt: change(event) });
    expect(codeOf(() => evolve(state, changed))).toBe('ILLEGAL_EVENT');
  });
});

describe('a deadline as it is written', () => {
  test.for<[string, Parameters<typeof deadlineOf>[0]]>([
    ['a duration that is none', { timeout: 'soon' }],
    ['a moment that is none', { expiresAt: 'tomorrow' }],
    ['two ends', { timeout: '1s', expiresAt: AT }],
    ['an outcome without a time', { onTimeout: 'cancel' }],
    ['nobody to ask', { timeout: '1s', onTimeout: { escalate: { to: ' ' } } }],
    ['a wrong duration of the next', { timeout: '1s', onTimeout: { escalate: { to: 'ann', timeout: 'x' } } }],
  ])('is refused with %s', ([, deadline]) => {
    expect(codeOf(() => deadlineOf(deadline))).toBe('BAD_CONFIG');
  });
});

test('the person who answers in time has answered', () => {
  const state = asking({ timeoutMs: SECOND });
  const { id, digest } = firstOpen(state);
  const after = evolve(state, {
    type: 'interrupt-resolved',
    id,
    digest,
    resolution: { action: 'restart' },
    by: ANN,
    resolvedAt: AT,
  });
  expect(dueEvent(after, START + 60 * SECOND)).toBeUndefined();
});
