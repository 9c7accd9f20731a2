import type { Call } from './call.js';
import type { JsonObject, JsonValue } from './json.js';
import { isJsonObject } from './json.js';
import type { Message } from './message.js';
import type { Part, ToolRequestPart } from './part.js';
import type { Entry, OpenTurn, RunState } from './state.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';

/**
 * The messages of a session in Genkit's shape and words: what people and other tools read, and what a stateless
 * `generate` takes back to resume. `from` leaves out that many messages at the start.
 */
export function transcriptMessages(state: RunState, from = 0): readonly TranscriptMessage[] {
  const messages: TranscriptMessage[] = [];
  for (let index = from; index < state.entries.length; index += 1) {
    const entry = state.entries.at(index);
    if (entry !== undefined) messages.push(entryMessage(entry, state.entries.at(index - 1)));
  }
  if (state.open !== undefined) messages.push(openMessage(state.open));
  return messages;
}

function entryMessage(entry: Entry, before: Entry | undefined): TranscriptMessage {
  if (entry.message.role === 'tool' && before?.calls !== undefined)
    return toolMessage(entry.message, before.calls);
  if (entry.calls === undefined) return plainMessage(entry.message);
  const { calls } = entry;
  return withCalls(entry.message, calls, (call) => closedMetadata(call));
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
  return partWithMetadata({ toolRequest: { name, ref, input: call.input } }, metadata);
}

/** An interrupt that Genkit knows: one that the tool or the approval in front of it raised. */
function genkitInterrupt(call: Call): JsonValue | undefined {
  const interrupt = call.resolved?.interrupt;
  if (interrupt?.source.type !== 'tool' || interrupt.source.raisedBy === 'engine') return undefined;
  return interrupt.payload;
}

function closedMetadata(call: Call): JsonObject {
  const interrupt = genkitInterrupt(call);
  return {
    ...(interrupt !== undefined && { resolvedInterrupt: interrupt }),
    ...(call.originalInput !== undefined && { replacedInput: call.originalInput }),
  };
}

function openMetadata(call: Call): JsonObject {
  const { state } = call;
  const edited = call.originalInput === undefined ? {} : { replacedInput: call.originalInput };
  switch (state.status) {
    case 'ready':
      return edited;
    case 'started':
      return { ...edited, hitl: { started: state.startedAt, attempt: call.attempts } };
    case 'interrupted': {
      const { interrupt } = state;
      const { id, kind, digest, allowed } = interrupt;
      const raisedBy = interrupt.source.type === 'tool' ? interrupt.source.raisedBy : 'engine';
      const schema = interrupt.answerSchema === undefined ? {} : { answerSchema: interrupt.answerSchema };
      return {
        ...edited,
        interrupt: interrupt.payload,
        hitl: { id, kind, digest, raisedBy, allowed, ...schema },
      };
    }
    case 'settled':
      return { ...closedMetadata(call), ...pending(call) };
  }
}

/** A finished sibling of a waiting call: its result is parked until the turn is complete. */
function pending(call: Call): JsonObject {
  if (call.state.status !== 'settled') return {};
  const { outcome, via } = call.state;
  if (outcome.type === 'error') return { pendingOutput: outcome.message, hitl: { via, error: outcome.code } };
  const { output, content, metadata } = outcome;
  const parts = content?.map(partJson);
  return {
    pendingOutput: output,
    hitl: { via, ...(parts && { content: parts }), ...(metadata && { metadata }) },
  };
}

function toolMessage(message: Message, calls: readonly Call[]): TranscriptMessage {
  const resumed = calls.some((call) => call.resolved !== undefined);
  const content = message.content.map((part, index): TranscriptPart => {
    const call = calls[index];
    const base = transcriptPart(part);
    return call === undefined
      ? base
      : partWithMetadata(base, { ...base.metadata, ...responseMetadata(call, resumed) });
  });
  const metadata = { ...(resumed && { resumed: true }), ...message.metadata };
  return withMetadata({ role: 'tool', content }, metadata);
}

function responseMetadata(call: Call, resumed: boolean): JsonObject {
  if (call.state.status !== 'settled') return {};
  const { outcome } = call.state;
  const error = outcome.type === 'error' ? { hitl: { error: outcome.code } } : {};
  if (call.resolved?.resolution.action === 'respond') {
    const { metadata } = call.resolved.resolution;
    return { interruptResponse: metadata ?? true, ...error };
  }
  return resumed && call.resolved === undefined ? { source: 'pending', ...error } : error;
}

function plainMessage(message: Message): TranscriptMessage {
  return withMetadata({ role: message.role, content: message.content.map(transcriptPart) }, message.metadata);
}

function withMetadata(message: TranscriptMessage, metadata: JsonObject | undefined): TranscriptMessage {
  return metadata === undefined || Object.keys(metadata).length === 0 ? message : { ...message, metadata };
}

function partWithMetadata(part: TranscriptPart, metadata: JsonObject | undefined): TranscriptPart {
  return metadata === undefined || Object.keys(metadata).length === 0 ? part : { ...part, metadata };
}

/** One part in Genkit's shape. */
export function transcriptPart(part: Part): TranscriptPart {
  switch (part.type) {
    case 'text':
      return partWithMetadata({ text: part.text }, part.metadata);
    case 'reasoning':
      return partWithMetadata({ reasoning: part.text }, part.metadata);
    case 'media': {
      const { url, contentType } = part;
      return partWithMetadata(
        { media: { url, ...(contentType !== undefined && { contentType }) } },
        part.metadata,
      );
    }
    case 'data':
      return partWithMetadata({ data: part.data }, part.metadata);
    case 'tool-request':
      return partWithMetadata(
        { toolRequest: { name: part.name, ref: part.ref, input: part.input } },
        part.metadata,
      );
    case 'tool-response': {
      const { name, ref, output } = part;
      const content = part.content?.map(transcriptPart);
      const failed =
        part.isError === true && !isJsonObject(part.metadata?.['hitl']) ? { hitl: { error: 'failed' } } : {};
      const metadata = { ...part.metadata, ...failed };
      return partWithMetadata({ toolResponse: { name, ref, output, ...(content && { content }) } }, metadata);
    }
  }
}

/** A part in Genkit's shape as plain JSON, for a place that holds any JSON. */
export function partJson(part: Part): JsonObject {
  const { toolRequest, toolResponse, ...rest } = transcriptPart(part);
  return {
    ...definedMembers(rest),
    ...(toolRequest !== undefined && { toolRequest: definedMembers({ ...toolRequest }) }),
    ...(toolResponse !== undefined && { toolResponse: responseJson(part) }),
  };
}

function responseJson(part: Part): JsonObject {
  if (part.type !== 'tool-response') return {};
  const { name, ref, output, content } = part;
  return { name, ref, output, ...(content && { content: content.map(partJson) }) };
}

function definedMembers(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const defined: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) defined[key] = value;
  return defined;
}
