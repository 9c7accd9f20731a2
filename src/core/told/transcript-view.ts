import type { Call } from '../state/call.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { jsonEquals } from '../data/json.js';
import type { Message, ToolRequestPart } from '../data/message.js';
import type { Entry, OpenTurn, RunState } from '../state/state.js';
import { withMetadata, transcriptPart, partJson } from './transcript-part.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';
import type { SettledVia, ToolOutcome } from '../state/outcome.js';
import { deadlineJson } from '../question/deadline.js';
import type { Interrupt } from '../data/interrupt.js';
import type { ToolRef } from '../data/ids.js';
import { toolRef } from '../data/ids.js';

/**
 * Returns a session's messages in Genkit's format, for people, for other tools and for a stateless
 * `generate`.
 * @param from number of messages to skip
 */
export function transcriptMessages(state: RunState, from = 0): readonly TranscriptMessage[] {
  const messages: TranscriptMessage[] = [];
  for (let index = from; index < state.entries.length; index += 1) {
    const entry = state.entries.at(index);
    if (entry !== undefined)
      messages.push(entryMessage(entry, index === 0 ? undefined : state.entries.at(index - 1)));
  }
  if (state.open !== undefined) messages.push(openMessage(state.open));
  return messages;
}

/**
 * Returns the payload of a call's interrupt if Genkit supports it. Genkit supports only interrupts raised by
 * the tool or the approval check.
 */
function genkitInterrupt(call: Call): JsonValue | undefined {
  const interrupt = call.resolved?.interrupt;
  if (interrupt?.source.type !== 'tool' || interrupt.source.raisedBy === 'engine') return undefined;
  return interrupt.payload;
}

/**
 * Returns the history of a call as metadata: the question that was answered and the input that was replaced.
 */
function pastMetadata(call: Call): JsonObject {
  const interrupt = genkitInterrupt(call);
  return {
    ...(interrupt !== undefined && { resolvedInterrupt: interrupt }),
    ...(call.originalInput !== undefined && { replacedInput: call.originalInput }),
  };
}

/** Returns the state of an open turn's call as metadata. */
function openMetadata(call: Call): JsonObject {
  const { state } = call;
  switch (state.status) {
    case 'ready':
      return { ...pastMetadata(call), ...(call.notes !== undefined && { hitl: notesMetadata(call) }) };
    case 'started': {
      const hitl = { startedAt: state.startedAt, attempts: call.attempts, ...notesMetadata(call) };
      return { ...pastMetadata(call), hitl };
    }
    case 'interrupted': {
      const { resolvedInterrupt: _answered, ...past } = pastMetadata(call);
      return { ...past, interrupt: state.interrupt.payload, hitl: waitingMetadata(call, state.interrupt) };
    }
    case 'settled':
      return { ...pastMetadata(call), ...parkedMetadata(call, state.outcome, state.via) };
  }
}

/**
 * Returns the properties of an interrupt that Genkit does not have, as metadata from which `readTranscript`
 * restores the interrupt.
 */
function waitingMetadata(call: Call, interrupt: Interrupt): JsonObject {
  const {
    id,
    kind,
    digest,
    allowed,
    raisedAt,
    answerSchema,
    inputSchema,
    resumeSchema,
    edit,
    source,
    bound,
  } = interrupt;
  const { raisedBy, input } = source.type === 'tool' ? source : { raisedBy: 'engine', input: call.input };
  return {
    id,
    kind,
    digest,
    raisedBy,
    allowed,
    raisedAt,
    ...deadlineJson(interrupt),
    ...(answerSchema !== undefined && { answerSchema }),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(resumeSchema !== undefined && { resumeSchema }),
    ...(edit !== undefined && { edit }),
    ...(source.type === 'tool' && source.title !== undefined && { title: source.title }),
    ...(bound !== undefined && { bound: { ...bound } }),
    ...(!jsonEquals(input, call.input) && { input }),
    ...(call.attempts > 0 && { attempts: call.attempts }),
    ...notesMetadata(call),
  };
}

/** Returns the notes added to an approval as metadata, until the model receives them. */
function notesMetadata({ notes }: Call): JsonObject {
  return notes === undefined ? {} : { notes };
}

/**
 * Returns the result of a finished call as metadata. The result stays there until all calls in its turn are
 * finished.
 */
function parkedMetadata(call: Call, outcome: ToolOutcome, via: SettledVia): JsonObject {
  if (outcome.type === 'error') {
    const hitl = { via, error: outcome.code, ...notesMetadata(call) };
    return { pendingOutput: outcome.message, hitl };
  }
  const { output, content } = outcome;
  const metadata = { ...outcome.metadata, ...replyMark(call) };
  return {
    pendingOutput: output,
    hitl: {
      via,
      ...(content && { content: content.map(partJson) }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...notesMetadata(call),
    },
  };
}

/**
 * Returns metadata that marks an output provided by a person. A response that the person wrote in full keeps
 * its own metadata.
 */
function replyMark({ resolved }: Call): JsonObject {
  if (resolved?.resolution.action !== 'respond') return {};
  const { metadata, verbatim } = resolved.resolution;
  if (metadata !== undefined) return { interruptResponse: metadata };
  return verbatim === undefined ? { interruptResponse: true } : {};
}

/** Returns the origin of a call's outcome; `undefined` if there is no outcome yet. */
function viaOf({ state }: Call): SettledVia | undefined {
  return state.status === 'settled' ? state.via : undefined;
}

/**
 * Returns a tool response's metadata.
 * @param resumed whether the message was created by a resume
 */
function responseMetadata(call: Call, resumed: boolean): JsonObject {
  const { state, resolved } = call;
  const pending = resumed && resolved === undefined && viaOf(call) !== 'respond';
  const code = state.status === 'settled' && state.outcome.type === 'error' ? state.outcome.code : undefined;
  return {
    ...replyMark(call),
    ...(pending && { source: 'pending' }),
    ...(code !== undefined && { hitl: { error: code } }),
  };
}

function entryMessage(entry: Entry, before: Entry | undefined): TranscriptMessage {
  if (entry.message.role === 'tool' && before?.calls !== undefined)
    return toolMessage(entry.message, before.calls);
  if (entry.calls === undefined) return plainMessage(entry.message);
  const { calls } = entry;
  return withCalls(entry.message, calls, pastMetadata);
}

function openMessage(turn: OpenTurn): TranscriptMessage {
  return withCalls(turn.message, turn.calls, openMetadata);
}

function withCalls(
  message: Message,
  calls: readonly Call[],
  metadataOf: (call: Call) => JsonObject,
): TranscriptMessage {
  const byRef = new Map(calls.map((call) => [call.request.ref, call]));
  const content = message.content.map((part): TranscriptPart => {
    const call = part.type === 'tool-request' ? byRef.get(part.ref) : undefined;
    return part.type === 'tool-request' && call !== undefined
      ? requestPart(part, call, metadataOf(call))
      : transcriptPart(part);
  });
  return withMetadata({ role: message.role, content }, message.metadata);
}

function requestPart(part: ToolRequestPart, call: Call, added: JsonObject): TranscriptPart {
  const { name, ref } = part;
  const metadata = { ...part.metadata, ...added };
  return withMetadata({ toolRequest: { name, ref, input: call.input } }, metadata);
}

function toolMessage(message: Message, calls: readonly Call[]): TranscriptMessage {
  const resumed = calls.some((call) => call.resolved !== undefined || viaOf(call) === 'import');
  const content = message.content.map((part, index): TranscriptPart => {
    const call = calls[index];
    const base = transcriptPart(part);
    return call === undefined
      ? base
      : withMetadata(base, { ...base.metadata, ...responseMetadata(call, resumed) });
  });
  const metadata = { ...(resumed && { resumed: true }), ...message.metadata };
  return withMetadata({ role: 'tool', content }, metadata);
}

function plainMessage(message: Message): TranscriptMessage {
  return withMetadata({ role: message.role, content: message.content.map(transcriptPart) }, message.metadata);
}

interface NamedRequest {
  readonly name: string;
  /** The ref in the transcript; absent if the provider did not set one. */
  readonly given: string | undefined;
  readonly ref: ToolRef;
}

/**
 * Makes the refs of tool requests unique, because providers omit refs and reuse them in later turns. The open
 * calls of the last message keep their refs, which are `reserved`. A response gets the ref of its request.
 */
export class TranscriptRefs {
  readonly #reserved: ReadonlySet<string>;
  readonly #taken: Set<string>;
  /** The previous message's requests, which the next message answers. */
  #before: NamedRequest[] = [];
  #current: NamedRequest[] = [];
  #isLast = false;

  constructor(reserved: Iterable<string>) {
    this.#reserved = new Set(reserved);
    this.#taken = new Set(this.#reserved);
  }

  /** Starts the next message. It answers the requests that were made since this method was last called. */
  nextMessage(isLast: boolean): void {
    this.#before = this.#current;
    this.#current = [];
    this.#isLast = isLast;
  }

  /** Returns the ref of a request. `place` is used to create a missing ref. */
  ofRequest(name: string, ref: string | undefined, place: string): ToolRef {
    const given = ref === '' ? undefined : ref;
    const known = toolRef(this.#free(given ?? `call-${place}`));
    this.#taken.add(known);
    this.#current.push({ name, given, ref: known });
    return known;
  }

  ofResponse(name: string, ref: string | undefined): ToolRef {
    const given = ref === '' ? undefined : ref;
    const index = this.#before.findIndex((request) =>
      given === undefined ? request.name === name : request.given === given,
    );
    const [request] = index === -1 ? [] : this.#before.splice(index, 1);
    return request?.ref ?? toolRef(given ?? name);
  }

  #free(wanted: string): string {
    const isMine = this.#isLast && this.#reserved.has(wanted);
    if (isMine && !this.#current.some(({ ref }) => ref === wanted)) return wanted;
    let ref = wanted;
    for (let n = 2; this.#taken.has(ref); n += 1) ref = `${wanted}~${n}`;
    return ref;
  }
}
