import fc from 'fast-check';

import type {
  Actor,
  Call,
  Interrupt,
  InterruptKind,
  JsonObject,
  JsonValue,
  Message,
  Part,
  Resolution,
  RunState,
  SessionEvent,
  ToolDescriptor,
  ToolOutcome,
} from '../../src/core/index.js';
import {
  allowedActions,
  emptyState,
  evolve,
  interruptId,
  makeInterrupt,
  openInterrupts,
  ROOT_PATH,
  toolRef,
} from '../../src/core/index.js';

const AT = '2026-01-01T00:00:00.000Z';
const TOOL_NAMES = ['pay', 'look', 'ask'];
const PERSON: Actor = { type: 'person', name: 'ann', via: 'terminal' };

/** Text that is hard on whoever shows or saves it: controls, marks, quotes, line ends of every kind, emoji. */
function texts(): fc.Arbitrary<string> {
  const hard = fc.constantFrom(
    '',
    ' ',
    '\n',
    '\r\n',
    '\u2028',
    '\u0000',
    '\u001b[31m',
    '"',
    '\\',
    '\u200b',
    '\u202e',
    '👩‍👩‍👧',
    'é',
    '{"a":1}',
  );
  const words = fc.string({ unit: 'grapheme', maxLength: 12 });
  return fc.array(fc.oneof(hard, words), { maxLength: 5 }).map((pieces) => pieces.join(''));
}

/** JSON that survives a round trip, `__proto__` keys, empty containers and edge numbers included. */
export function jsonValues(): fc.Arbitrary<JsonValue> {
  return fc
    .oneof(
      { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 4 },
      { arbitrary: fc.constantFrom<unknown>(0, '', false, null, [], {}, 1e308, -0.5), weight: 1 },
    )
    .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
}

/** A JSON object, as tool inputs mostly are. */
function jsonObjects(): fc.Arbitrary<JsonObject> {
  return fc.dictionary(fc.string({ maxLength: 6 }), jsonValues(), { maxKeys: 4 });
}

/** Any input of a tool: mostly objects, sometimes a scalar, a list or `null`. */
export function inputs(): fc.Arbitrary<JsonValue> {
  return fc.oneof({ arbitrary: jsonObjects(), weight: 3 }, { arbitrary: jsonValues(), weight: 1 });
}

/** Parts that are neither a tool's request nor its response. */
export function plainParts(): fc.Arbitrary<Part> {
  return fc.oneof(
    texts().map((text): Part => ({ type: 'text', text })),
    texts().map((text): Part => ({ type: 'reasoning', text, metadata: { signature: 's' } })),
    fc
      .constantFrom('https://example.com/a.png', 'data:image/png;base64,AA==')
      .map((url): Part => ({ type: 'media', url })),
    jsonValues().map((data): Part => ({ type: 'data', data })),
  );
}

/** Messages without tools. */
export function plainMessages(): fc.Arbitrary<Message> {
  return fc.record({
    role: fc.constantFrom<Message['role']>('user', 'model'),
    content: fc.array(plainParts(), { minLength: 1, maxLength: 3 }),
  });
}

/** How a call may end. */
function outcomes(): fc.Arbitrary<ToolOutcome> {
  const code = fc.constantFrom('failed', 'invalid-input', 'timeout', 'not-found');
  return fc.oneof(
    jsonValues().map((output): ToolOutcome => ({ type: 'output', output })),
    fc.record({ code, message: texts() }).map((error): ToolOutcome => ({ type: 'error', ...error })),
  );
}

/** Chance for one step of a session. Fewer and smaller dice give a shorter session, so that failures shrink. */
interface Dice {
  readonly which: number;
  readonly choice: number;
  readonly answer: number;
  readonly text: string;
  readonly input: JsonValue;
  readonly outcome: ToolOutcome;
}

function dice(): fc.Arbitrary<Dice> {
  const number = fc.nat({ max: 1 << 16 });
  return fc.record({
    which: number,
    choice: number,
    answer: number,
    text: texts(),
    input: inputs(),
    outcome: outcomes(),
  });
}

function oneOf<T>(items: readonly T[], number: number): T {
  return items[number % items.length]!;
}

function descriptor(name: string): ToolDescriptor {
  return { name, description: name, inputSchema: {}, effect: 'once', origin: 'test', restartable: true };
}

const AGENT = { model: 'script', tools: TOOL_NAMES.map(descriptor) };

function modelReply(state: RunState, { choice, text, input }: Dice): SessionEvent {
  const requests = Array.from({ length: choice % 4 }, (_, index): Part => {
    const ref = toolRef(`r${state.entries.length}-${index}`);
    return { type: 'tool-request', ref, name: oneOf(TOOL_NAMES, choice + index), input };
  });
  const content: readonly Part[] = [{ type: 'text', text }, ...requests];
  const usage = { inputTokens: choice % 100, outputTokens: choice % 10 };
  return {
    type: 'message-added',
    message: { role: 'model', content },
    usage,
    end: requests.length > 0 ? 'tool-use' : 'stop',
  };
}

function raise(state: RunState, call: Call, kind: InterruptKind, { text, choice }: Dice): SessionEvent {
  const { ref, name } = call.request;
  const raisedBy =
    kind === 'in-doubt' || kind === 'error' ? 'engine' : oneOf(['tool', 'approval'] as const, choice);
  const interrupt = makeInterrupt(
    { kind, source: { type: 'tool', ref, name, input: call.input, raisedBy }, payload: text },
    { id: interruptId(`i${state.interruptCount + 1}`), path: ROOT_PATH, raisedAt: AT },
  );
  return { type: 'interrupt-raised', interrupt };
}

function raiseLimit(state: RunState, { choice }: Dice): SessionEvent {
  const limit = oneOf(['turns', 'cost', 'time'], choice);
  const interrupt = makeInterrupt(
    { kind: 'limit', source: { type: 'run' }, payload: { limit } },
    { id: interruptId(`i${state.interruptCount + 1}`), path: ROOT_PATH, raisedAt: AT },
  );
  return { type: 'interrupt-raised', interrupt };
}

function resolution({ kind, allowed }: Interrupt, { answer, choice, text, input }: Dice): Resolution {
  const reason = choice % 2 === 0 ? {} : { reason: text };
  const known: readonly Resolution[] = [
    { action: 'respond', output: input },
    { action: 'restart' },
    { action: 'restart', input },
    { action: 'restart', metadata: text },
    { action: 'retry' },
    { action: 'reject', ...reason },
    { action: 'cancel', ...reason },
    { action: 'extend', by: choice },
  ];
  const fitting = known.filter(
    ({ action }) => allowed.includes(action) && allowedActions(kind).includes(action),
  );
  return oneOf(fitting, answer);
}

function resolve(interrupt: Interrupt, rolled: Dice): SessionEvent {
  const { id, digest } = interrupt;
  const resolved = resolution(interrupt, rolled);
  return { type: 'interrupt-resolved', id, digest, resolution: resolved, by: PERSON, resolvedAt: AT };
}

function callEvents(state: RunState, call: Call, rolled: Dice): readonly SessionEvent[] {
  const { ref, name } = call.request;
  const settled: SessionEvent = { type: 'tool-settled', ref, outcome: rolled.outcome };
  const noted: SessionEvent = {
    type: 'file-noted',
    ref,
    path: '/srv/a.txt',
    before: { type: 'absent' },
    after: rolled.text,
  };
  const started: SessionEvent = {
    type: 'tool-started',
    ref,
    name,
    attempt: call.attempts + 1,
    input: call.input,
    effect: 'once',
    idempotencyKey: `key-${ref}`,
    startedAt: AT,
  };
  switch (call.state.status) {
    case 'ready':
      return [started, started, settled, raise(state, call, 'confirmation', rolled)];
    case 'started':
      return [
        settled,
        rolled.choice % 3 === 0 ? noted : settled,
        raise(state, call, oneOf(['question', 'error', 'in-doubt'], rolled.choice), rolled),
      ];
    case 'interrupted':
      return [resolve(call.state.interrupt, rolled)];
    case 'settled':
      return [];
  }
}

function inboxEvents(
  { inbox }: RunState,
  { choice, text }: Pick<Dice, 'choice' | 'text'>,
): readonly SessionEvent[] {
  const seq = (inbox?.gone.at(-1)?.[1] ?? 0) + 1 + (choice % 2);
  const id = `m${seq}`;
  const sent = { id, seq, from: PERSON, at: AT };
  const point = { phase: 'turn', path: ROOT_PATH } as const;
  const choose = {
    type: 'action',
    resolution: { action: 'skip' },
    reason: text,
    confidence: 1,
    confirm: true,
  } as const;
  return [
    {
      type: 'inbox-delivered',
      item: { type: 'message', ...sent, text, priority: 'normal' },
      point,
      deliveredAt: AT,
    },
    { type: 'inbox-delivered', item: { type: 'control', ...sent, verb: 'pause' }, point, deliveredAt: AT },
    { type: 'inbox-dropped', id, seq, why: 'expired', droppedAt: AT },
    { type: 'inbox-settled', id: inbox?.unsettled[0]?.id ?? id, outcome: { type: 'applied' } },
    {
      type: 'action-chosen',
      message: id,
      choice: choose,
      model: 'demo',
      attempts: 1,
      usage: { inputTokens: 1, outputTokens: 1 },
    },
  ];
}

/** Events that may come at any time. */
function asides(state: RunState, { choice, text }: Dice): readonly SessionEvent[] {
  const epoch = (state.writer?.epoch ?? 0) + 1;
  return [
    oneOf(
      [{ type: 'session-opened', epoch, pid: choice, host: 'host' }, ...inboxEvents(state, { choice, text })],
      choice,
    ),
    { type: 'agent-changed', agent: { ...AGENT, system: text } },
    state.rules.length > 1
      ? { type: 'rule-removed', tool: 'look', by: PERSON }
      : { type: 'rule-added', rule: { effect: 'allow', tool: 'look', toolDigest: 'x' }, by: PERSON },
  ];
}

function talkEvents(state: RunState, rolled: Dice): readonly SessionEvent[] {
  const { text } = rolled;
  const user: SessionEvent = {
    type: 'message-added',
    message: { role: 'user', content: [{ type: 'text', text }] },
  };
  const reply = modelReply(state, rolled);
  const ends = [
    { type: 'done' },
    { type: 'aborted', partial: text },
    { type: 'failed', error: { code: 'MODEL_FAILED', message: text } },
  ] as const;
  return [
    user,
    reply,
    reply,
    reply,
    { type: 'model-started', attempt: state.modelAttempts + 1 },
    { type: 'run-ended', reason: oneOf(ends, rolled.choice) },
  ];
}

/** Every event that may come next; work on open calls is the likeliest, so that turns get done. */
function nextEvents(state: RunState, rolled: Dice): readonly SessionEvent[] {
  const calls = (state.open?.calls ?? []).filter(({ state: { status } }) => status !== 'settled');
  const work = calls.length === 0 ? [] : callEvents(state, oneOf(calls, rolled.choice), rolled);
  const gate = state.asks === undefined ? [raiseLimit(state, rolled)] : [resolve(state.asks, rolled)];
  const talk = state.open === undefined ? talkEvents(state, rolled) : [];
  return [...work, ...work, ...work, ...talk, ...asides(state, rolled), ...gate];
}

function importedHistory({ text, choice }: Dice): readonly SessionEvent[] {
  if (choice % 5 !== 0) return [];
  const said = (role: Message['role']): Message => ({ role, content: [{ type: 'text', text }] });
  return [{ type: 'history-imported', messages: [said('user'), said('model')] }];
}

/** Plays dice as a session: each event fits what came before it. */
function play(rolls: readonly Dice[]): readonly SessionEvent[] {
  const events: SessionEvent[] = [
    { type: 'session-created', agent: AGENT },
    ...rolls.slice(0, 1).flatMap(importedHistory),
  ];
  let state = foldAll(events);
  for (const rolled of rolls) {
    const event = oneOf(nextEvents(state, rolled), rolled.which);
    events.push(event);
    state = evolve(state, event);
  }
  return events;
}

/** Legal event sequences of a session, from its creation on; any prefix of one is one. */
export function sessionEvents(maxLength = 40): fc.Arbitrary<readonly SessionEvent[]> {
  return fc.array(dice(), { maxLength }).map(play);
}

/** Sessions that wait for a person. */
export function waitingSessions(maxLength = 40): fc.Arbitrary<readonly SessionEvent[]> {
  return sessionEvents(maxLength).filter((events) => openInterrupts(foldAll(events)).length > 0);
}

function foldAll(events: readonly SessionEvent[]): RunState {
  return events.reduce(evolve, emptyState());
}
