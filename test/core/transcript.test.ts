import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type {
  Call,
  Entry,
  Interrupt,
  JsonObject,
  Message,
  Part,
  RunState,
  SessionEvent,
  TranscriptMessage,
  TranscriptPart,
} from '../../src/core/index.js';
import {
  AppendList,
  deepFreeze,
  emptyState,
  fold,
  partJson,
  readTranscript,
  textPart,
  toolRef,
  transcriptMessages,
  transcriptPart,
  interruptId,
} from '../../src/core/index.js';
import { readPartJson } from '../../src/core/told/transcript-part.js';
import { jsonValues, plainParts, sessionEvents } from '../helpers/arbitraries.js';
import {
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

const LATER = '2026-02-02T00:00:00.000Z';
const hi = userSaid('hi');

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** What a call still is after its transcript was read in another process. */
function afterReading({ request, input, originalInput, state }: Call): object {
  const known = { ref: request.ref, name: request.name, input, originalInput };
  if (state.status === 'interrupted') return { ...known, interrupt: state.interrupt };
  return state.status === 'settled' ? { ...known, outcome: state.outcome } : known;
}

function waits(state: RunState): boolean {
  return (state.open?.calls ?? []).every((call) => ['interrupted', 'settled'].includes(call.state.status));
}

/** The state that a transcript stands for. */
function reread(messages: readonly TranscriptMessage[]): RunState {
  const { closed, open } = readTranscript(messages, LATER);
  return {
    ...emptyState(),
    entries: AppendList.of(closed.map((message) => ({ message }))),
    ...(open !== undefined && { open }),
  };
}

/** Without what tells how a result was made: a parked result is only a result once it was read. */
function withoutOrigin(messages: readonly TranscriptMessage[]): unknown {
  return JSON.parse(JSON.stringify(messages, (key, value: unknown) => (key === 'via' ? undefined : value)));
}

describe('a transcript that is read back', () => {
  test('gives the same open calls, with the same questions, and approves nothing', () => {
    fc.assert(
      fc.property(sessionEvents(), (events) => {
        for (let length = 1; length <= events.length; length += 1) {
          const state = fold(events.slice(0, length));
          const calls = state.open?.calls ?? [];
          const read = readTranscript(throughJson(transcriptMessages(state)), LATER).open?.calls ?? [];
          expect(read.length).toBe(calls.length);
          read.forEach((call, index) => {
            expect(call).not.toHaveProperty('approval');
            expect(call).not.toHaveProperty('resumed');
            expect(afterReading(call)).toMatchObject(throughJson(afterReading(calls[index]!)));
            expect(['interrupted', 'settled']).toContain(call.state.status);
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  test('and written again is the same transcript', () => {
    fc.assert(
      fc.property(sessionEvents(), (events) => {
        const states = events.map((_, index) => fold(events.slice(0, index + 1))).filter(waits);
        for (const state of states) {
          const written = throughJson(transcriptMessages(state));
          const again = throughJson(transcriptMessages(reread(written)));
          expect(withoutOrigin(again)).toEqual(withoutOrigin(written));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('is left as it was', () => {
    fc.assert(
      fc.property(sessionEvents(), (events) => {
        const written = deepFreeze(throughJson(transcriptMessages(fold(events))));
        const before = JSON.stringify(written);
        readTranscript(written, LATER);
        expect(JSON.stringify(written)).toBe(before);
      }),
      { numRuns: 30 },
    );
  });

  test('keeps everything of a question, also what Genkit has no word for', () => {
    const interrupt: Interrupt = interruptOf('pay', 'r1', {
      id: 'i7',
      kind: 'question',
      input: { amount: 1, currency: 'EUR' },
      payload: null,
      raisedBy: 'approval',
      draft: {
        answerSchema: { type: 'string' },
        expiresAt: LATER,
        allowed: ['cancel', 'respond'],
        onTimeout: {
          action: 'escalate',
          to: 'lead',
          prompt: 'x',
          timeoutMs: 5,
          onTimeout: { action: 'reject' },
        },
        escalated: { id: interruptId('i3'), to: 'ann' },
      },
    });
    const state = stateAfter(
      hi,
      modelSaid([requestPart('pay', 'r1', { amount: 1 })]),
      toolStarted('pay', 'r1', { input: { amount: 1, currency: 'EUR' } }),
      raised(interrupt),
    );
    const read = readTranscript(throughJson(transcriptMessages(state)), LATER);
    expect(read.open?.calls[0]).toEqual({
      request: requestPart('pay', 'r1', { amount: 1 }),
      input: { amount: 1 },
      attempts: 1,
      state: { status: 'interrupted', interrupt },
    });
    expect(read.interruptCount).toBe(7);
  });

  test('`from` leaves out the beginning', () => {
    const state = stateAfter(hi, modelSaid([textPart('hello')]), hi, modelSaid([requestPart('pay', 'r1')]));
    const whole = transcriptMessages(state);
    expect(transcriptMessages(state, 2)).toEqual(whole.slice(2));
    expect(transcriptMessages(state, 3)).toEqual(whole.slice(3));
    expect(transcriptMessages(state, 9)).toEqual(whole.slice(3));
  });
});

describe('an open call that was not waiting when it was written', () => {
  function firstRead(...events: readonly SessionEvent[]): Call {
    const sibling = requestPart('look', 'r2');
    const state = stateAfter(hi, modelSaid([requestPart('pay', 'r1', { amount: 1 }), sibling]), ...events);
    return readTranscript(throughJson(transcriptMessages(state)), LATER).open!.calls[0]!;
  }

  test('is asked about, where it was ready', () => {
    const call = firstRead();
    expect(call.state).toMatchObject({
      status: 'interrupted',
      interrupt: { kind: 'confirmation', payload: true, raisedAt: LATER, source: { raisedBy: 'engine' } },
    });
  });

  test('is asked the same again, where it was approved and had not started', () => {
    const asked = interruptOf('pay', 'r1', { input: { amount: 1 }, payload: 'sure?' });
    const call = firstRead(raised(asked), resolved(asked, { action: 'restart', input: { amount: 2 } }));
    expect(call).toMatchObject({
      input: { amount: 2 },
      originalInput: { amount: 1 },
      state: {
        status: 'interrupted',
        interrupt: { payload: 'sure?', source: { input: { amount: 2 }, raisedBy: 'tool' } },
      },
    });
    expect(call).not.toHaveProperty('approval');
  });

  test.for<readonly [string, readonly SessionEvent[]]>([
    ['ready', []],
    ['running', [toolStarted('pay', 'r1', { input: { amount: 1 } })]],
    ['done', [toolStarted('pay', 'r1', { input: { amount: 1 } }), toolSettled('r1', 7)]],
  ])('keeps the words that came with a yes, where it was %s', ([, events]) => {
    const asked = interruptOf('pay', 'r1', { input: { amount: 1 }, payload: 'sure?' });
    const yes = resolved(asked, { action: 'restart', note: 'use the report' });
    expect(firstRead(raised(asked), yes, ...events).notes).toEqual(['use the report']);
  });

  test('is in doubt, where it was running (law 7)', () => {
    const call = firstRead(toolStarted('pay', 'r1', { input: { amount: 1 } }));
    expect(call).toMatchObject({
      attempts: 1,
      state: {
        status: 'interrupted',
        interrupt: {
          kind: 'in-doubt',
          payload: { startedAt: AT, attempt: 1, pid: null },
          allowed: ['respond', 'retry', 'reject', 'cancel'],
          source: { raisedBy: 'engine' },
        },
      },
    });
  });
});

/** A history that ends in this model message. */
function waitingOn(...content: readonly TranscriptPart[]): readonly TranscriptMessage[] {
  return [
    { role: 'user', content: [{ text: 'hi' }] },
    { role: 'model', content },
  ];
}

function call(name: string, ref: string | undefined, metadata?: JsonObject): TranscriptPart {
  return {
    toolRequest: { name, ...(ref !== undefined && { ref }), input: {} },
    ...(metadata && { metadata }),
  };
}

function openOf(...content: readonly TranscriptPart[]) {
  return readTranscript(waitingOn(...content), LATER).open!.calls;
}

function idsOf(...content: readonly TranscriptPart[]) {
  return openOf(...content).map(({ state }) => (state.status === 'interrupted' ? state.interrupt.id : '-'));
}

describe('a transcript of others', () => {
  test('may leave out an input', () => {
    const read = readTranscript(waitingOn({ toolRequest: { name: 'ask', ref: 'r1' } }), LATER);
    expect(read.open?.calls[0]?.input).toEqual({});
  });

  test('cannot give an open call an id that another has, or that is not its own', () => {
    const own = (id: string) => ({ interrupt: true, hitl: { id } });
    expect(idsOf(call('a', 'r1', own('i3')), call('b', 'r2', own('i3')))).toEqual(['i3', 'i4']);
    expect(idsOf(call('a', 'r1'), call('b', 'r2', own('i1')))).toEqual(['i2', 'i1']);
    expect(idsOf(call('a', 'r1', own('mine')), call('b', 'r2'))).toEqual(['mine', 'i1']);
    expect(idsOf(call('a', 'r1', own('i99999999999999999999')), call('b', 'r2'))).toEqual([
      'i99999999999999999999',
      'i1',
    ]);
  });

  test('counts on from the highest id that it has', () => {
    const read = (...content: TranscriptPart[]) =>
      readTranscript(waitingOn(...content), LATER).interruptCount;
    expect(read(call('a', 'r1', { interrupt: true, hitl: { id: 'i3' } }))).toBe(3);
    expect(read(call('a', 'r1'), call('b', 'r2'))).toBe(2);
    expect(read(call('a', 'r1', { pendingOutput: 1 }))).toBe(0);
    expect(readTranscript([], LATER)).toEqual({ closed: [], interruptCount: 0 });
  });

  test('may narrow what answers a question, and cannot widen it', () => {
    const allowed = (said: unknown) => {
      const hitl = { id: 'i1', kind: 'question', allowed: said } as never;
      const [one] = openOf(call('a', 'r1', { interrupt: true, hitl }));
      return one?.state.status === 'interrupted' ? one.state.interrupt.allowed : [];
    };
    expect(allowed(['respond'])).toEqual(['respond']);
    expect(allowed(['cancel', 'respond', 'restart', 'cancel-all'])).toEqual(['cancel', 'respond']);
    expect(allowed('everything')).toEqual(['respond', 'cancel']);
  });

  test('with words of ours that make no sense is a plain confirmation', () => {
    const hitl = { id: 7, kind: 'nonsense', raisedBy: 'nobody', raisedAt: 1, answerSchema: 1, attempts: 'x' };
    expect(openOf(call('a', 'r1', { interrupt: { confirm: 1 }, hitl }))).toEqual([
      {
        request: { type: 'tool-request', ref: 'r1', name: 'a', input: {} },
        input: {},
        attempts: 0,
        state: {
          status: 'interrupted',
          interrupt: { ...interruptOf('a', 'r1', { payload: { confirm: 1 } }), raisedAt: LATER },
        },
      },
    ]);
    expect(idsOf(call('a', 'r1', { interrupt: true, hitl: 'text' }))).toEqual(['i1']);
  });

  test('keeps the words of its provider on the request, and only those', () => {
    const metadata = { sig: 'abc', interrupt: true, hitl: { id: 'i1' }, replacedInput: 1 };
    expect(openOf(call('a', 'r1', metadata))[0]?.request).toEqual({
      ...requestPart('a', 'r1'),
      metadata: { sig: 'abc' },
    });
  });

  test.for<[unknown, JsonObject, unknown]>([
    ['gone', { hitl: { error: 'cancelled' } }, { type: 'error', code: 'cancelled', message: 'gone' }],
    [{ no: 1 }, { hitl: { error: 'odd' } }, { type: 'error', code: 'failed', message: '{"no":1}' }],
    [null, {}, { type: 'output', output: null }],
    [
      1,
      { hitl: { content: ['x', { text: 'y' }], metadata: { m: 1 } } },
      {
        type: 'output',
        output: 1,
        content: [
          { type: 'data', data: 'x' },
          { type: 'text', text: 'y' },
        ],
        metadata: { m: 1 },
      },
    ],
    [1, { hitl: { content: 'x', metadata: 'y' } }, { type: 'output', output: 1 }],
  ])('may park %j with %j', ([pendingOutput, more, outcome]) => {
    const [parked] = openOf(call('a', 'r1', { pendingOutput: pendingOutput as never, ...more }));
    expect(parked?.state).toEqual({ status: 'settled', outcome, via: 'import' });
  });

  test('without a kind in a part is refused, saying where', () => {
    expect(() => readTranscript([{ role: 'user', content: [{ text: 'hi' }, {}] }], LATER)).toThrow(
      expect.objectContaining({
        code: 'BAD_TRANSCRIPT',
        message:
          'invalid messages: `messages[0].content[1]` must have exactly one of text, reasoning, media, data, toolRequest, toolResponse',
      }) as Error,
    );
  });
});

describe('the refs of a transcript of others', () => {
  function refsOf(messages: readonly TranscriptMessage[]): unknown {
    const { closed, open } = readTranscript(messages, LATER);
    const all: readonly Message[] = open === undefined ? closed : [...closed, open.message];
    return all.flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === 'tool-request' || part.type === 'tool-response' ? [part.ref] : [],
      ),
    );
  }

  const asks = (...refs: (string | undefined)[]): TranscriptMessage => ({
    role: 'model',
    content: refs.map((ref) => call('ask', ref)),
  });
  const answers = (...refs: (string | undefined)[]): TranscriptMessage => ({
    role: 'tool',
    content: refs.map((ref) => ({
      toolResponse: { name: 'ask', ...(ref !== undefined && { ref }), output: 1 },
    })),
  });

  test('are made where there are none, and each response gets that of its request', () => {
    expect(refsOf([asks(undefined, ''), answers(undefined, '')])).toEqual([
      'call-0-0',
      'call-0-1',
      'call-0-0',
      'call-0-1',
    ]);
  });

  test('are told apart where one was used twice: the call that waits keeps its own', () => {
    expect(refsOf([asks('a'), answers('a'), asks('a'), answers('a'), asks('a')])).toEqual([
      'a~2',
      'a~2',
      'a~3',
      'a~3',
      'a',
    ]);
    expect(refsOf([asks('a', 'a'), answers('a', 'a')])).toEqual(['a', 'a~2', 'a', 'a~2']);
    expect(refsOf([asks('a', 'a')])).toEqual(['a', 'a~2']);
  });

  test('of a response that answers nothing stay, or are the name of its tool', () => {
    expect(refsOf([answers('x', undefined)])).toEqual(['x', 'ask']);
    expect(refsOf([asks('a'), { role: 'user', content: [{ text: 'no' }] }, answers('a')])).toEqual([
      'a',
      'a',
    ]);
  });
});

describe("a part in Genkit's shape", () => {
  const parts: readonly [Part, TranscriptPart][] = [
    [textPart('a'), { text: 'a' }],
    [
      { type: 'reasoning', text: 'b', metadata: { sig: 1 } },
      { reasoning: 'b', metadata: { sig: 1 } },
    ],
    [
      { type: 'media', url: 'u', contentType: 'image/png' },
      { media: { url: 'u', contentType: 'image/png' } },
    ],
    [{ type: 'media', url: 'u' }, { media: { url: 'u' } }],
    [{ type: 'data', data: null }, { data: null }],
    [requestPart('pay', 'r1', 0), { toolRequest: { name: 'pay', ref: 'r1', input: 0 } }],
    [
      { type: 'tool-response', ref: toolRef('r1'), name: 'pay', output: null, content: [textPart('x')] },
      { toolResponse: { name: 'pay', ref: 'r1', output: null, content: [{ text: 'x' }] } },
    ],
    [
      { type: 'tool-response', ref: toolRef('r1'), name: 'pay', output: 'no', isError: true },
      { toolResponse: { name: 'pay', ref: 'r1', output: 'no' }, metadata: { hitl: { error: 'failed' } } },
    ],
  ];

  test.for(parts)('%j is %j, also as plain JSON', ([part, wanted]) => {
    expect(transcriptPart(part)).toEqual(wanted);
    expect(partJson(part)).toEqual(wanted);
  });

  test.for(parts)('%j is read from it', ([part, written]) => {
    const [message] = readTranscript([{ role: 'user', content: [written] }], LATER).closed;
    expect(message?.content).toEqual([{ ...part, ...(written.metadata && { metadata: written.metadata }) }]);
  });

  test('of a response may leave out its output', () => {
    const bare: TranscriptMessage = { role: 'tool', content: [{ toolResponse: { name: 'pay' } }] };
    expect(readTranscript([bare], LATER).closed[0]?.content).toEqual([
      { type: 'tool-response', ref: 'pay', name: 'pay', output: null },
    ]);
  });

  test('comes back from plain JSON, where it may be content of a response', () => {
    fc.assert(
      fc.property(plainParts(), (part) => {
        expect(readPartJson(partJson(part))).toEqual(part);
      }),
    );
  });

  test('that is no part is data', () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        const isPart =
          typeof value === 'object' &&
          value !== null &&
          ['text', 'reasoning', 'media', 'data'].some((kind) => kind in value);
        if (!isPart) expect(readPartJson(value)).toEqual({ type: 'data', data: value });
      }),
    );
    expect(readPartJson({ media: { href: 'x' } })).toEqual({ type: 'data', data: { media: { href: 'x' } } });
    expect(readPartJson({ media: { url: 'x', contentType: 'y' } })).toEqual({
      type: 'media',
      url: 'x',
      contentType: 'y',
    });
  });
});

describe("a session in Genkit's words", () => {
  const asked = interruptOf('pay', 'r1', { payload: { confirm: 1 } });
  const two = modelSaid([requestPart('pay', 'r1'), requestPart('look', 'r2')]);

  test('marks what a person replied, what was parked, and what failed', () => {
    const state = stateAfter(
      hi,
      two,
      raised(asked),
      toolSettled('r2', { type: 'error', code: 'timeout', message: 'late' }),
      resolved(asked, { action: 'respond', output: 'paid', metadata: { by: 'ann' } }),
    );
    expect(transcriptMessages(state).slice(1)).toEqual([
      {
        role: 'model',
        content: [call('pay', 'r1', { resolvedInterrupt: { confirm: 1 } }), call('look', 'r2')],
      },
      {
        role: 'tool',
        content: [
          {
            toolResponse: { name: 'pay', ref: 'r1', output: 'paid' },
            metadata: { interruptResponse: { by: 'ann' } },
          },
          {
            toolResponse: { name: 'look', ref: 'r2', output: 'late' },
            metadata: { source: 'pending', hitl: { error: 'timeout' } },
          },
        ],
        metadata: { resumed: true },
      },
    ]);
  });

  test('has no word for what the engine asked', () => {
    const doubt = interruptOf('pay', 'r1', { kind: 'in-doubt', raisedBy: 'engine' });
    const state = stateAfter(
      hi,
      modelSaid([requestPart('pay', 'r1')]),
      raised(doubt),
      resolved(doubt, { action: 'respond', output: 'paid' }),
    );
    expect(transcriptMessages(state)[1]).toEqual({ role: 'model', content: [call('pay', 'r1')] });
  });

  test('keeps the words of messages', () => {
    const message: Message = { role: 'user', content: [textPart('hi')], metadata: { preamble: true } };
    const written: TranscriptMessage = { ...message, content: [{ text: 'hi' }] };
    const state = stateAfter({ type: 'message-added', message });
    expect(transcriptMessages(state)).toEqual([written]);
    expect(readTranscript([written], LATER).closed).toEqual([message]);
  });

  test('whose first message is a result is written as it is', () => {
    const message: Message = {
      role: 'tool',
      content: [{ type: 'tool-response', ref: toolRef('r1'), name: 'pay', output: 1 }],
    };
    const none = { message: { role: 'model', content: [] }, calls: [] } as const;
    const written = { role: 'tool', content: [{ toolResponse: { name: 'pay', ref: 'r1', output: 1 } }] };
    const first = AppendList.of<Entry>([{ message }, none]);
    expect(transcriptMessages({ ...emptyState(), entries: first })[0]).toEqual(written);
    const unasked = AppendList.of<Entry>([none, { message }]);
    expect(transcriptMessages({ ...emptyState(), entries: unasked })[1]).toEqual(written);
  });
});
