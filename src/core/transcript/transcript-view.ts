import type { Call } from '../call/index.js';
import type { JsonObject } from '../json/index.js';
import type { Message, ToolRequestPart } from '../message/index.js';
import type { Entry, OpenTurn, RunState } from '../state.js';
import { openMetadata, pastMetadata, responseMetadata, viaOf } from './transcript-call.js';
import { withMetadata, transcriptPart } from './transcript-part.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';

/**
 * The messages of a session in Genkit's shape and words: what people and other tools read, and what a stateless
 * `generate` takes back to resume. `from` leaves out that many messages at the start.
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
