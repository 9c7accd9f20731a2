import type { JsonObject, ModelEvent, Part, Refusal, ReplyEnd, ServerEvent } from '../../core/index.js';
import {
  isJsonObject,
  parseStrictJson,
  providerCallOf,
  providerResultOf,
  ServerEventDecoder,
} from '../../core/index.js';
import type { OpenStream } from './connection.js';
import type { Failures } from './failures.js';
import type { BlockDelta, WireBlock } from './message-reader.js';
import { MessageReader } from './message-reader.js';
import type { PartContext } from './to-parts.js';
import { isCutCall, isDirectCall, replyEnd, toParts } from './to-parts.js';

/** The result of one response from the provider: a complete reply, or the part of a reply up to a pause. */
export interface Leg {
  readonly content: readonly Part[];
  readonly end: ReplyEnd;
  readonly refusal?: Refusal;
  /** Token counts as reported by the provider. */
  readonly counts: JsonObject;
}

export type LegEvent =
  | Exclude<ModelEvent, { readonly type: 'reply' }>
  | { readonly type: 'reply'; readonly leg: Leg };

function* shown(news: readonly BlockDelta[], { tools }: PartContext): Generator<LegEvent, void, undefined> {
  for (const { type, block, text } of news) {
    switch (type) {
      case 'text':
        yield { type: 'text-delta', text };
        break;
      case 'thinking':
        yield { type: 'reasoning-delta', text };
        break;
      case 'json': {
        if (!isDirectCall(block)) break;
        const { name } = block.start;
        const ours = tools.meant(typeof name === 'string' ? name : '', {}).name;
        yield { type: 'tool-input-delta', name: ours, characters: text.length };
        break;
      }
      case 'closed':
        if (!isDirectCall(block)) yield* providerCall(block);
    }
  }
}

/**
 * Reports a call of a provider tool once the call's input is complete, and reports its result. An invalid
 * input causes an error only when the whole reply is converted.
 */
function* providerCall(block: WireBlock): Generator<LegEvent, void, undefined> {
  const input = block.json === '' ? undefined : parseStrictJson(block.json);
  const call = providerCallOf(input?.ok === true ? { ...block.start, input: input.value } : block.start);
  if (call !== undefined) yield { type: 'provider-call', ...call };
  const result = providerResultOf(block.start);
  if (result !== undefined) yield { type: 'provider-result', ...result };
}

/**
 * Parses an error event. Some gateways send an error that is not JSON. The text of such an error is used as
 * the message.
 */
function errorIn(data: string): JsonObject {
  const told = parseStrictJson(data);
  if (told.ok && isJsonObject(told.value)) return told.value;
  return data === '' ? {} : { error: { message: data } };
}

/** Parses an event. Returns `undefined` for events that do not belong to the reply. */
function parse({ name, data }: ServerEvent, failures: Failures, requestId: string | undefined): unknown {
  if (name === 'error') throw failures.reported(errorIn(data), requestId);
  return name === '' || name === 'ping' || data === '' ? undefined : JSON.parse(data);
}

/** Maximum size of a single response, in bytes (T18). */
const LARGEST_ANSWER = 64_000_000;

/** Reads events up to the end of the message. Ignores any events after it. */
function read(
  events: Iterable<ServerEvent>,
  reader: MessageReader,
  failures: Failures,
  requestId: string | undefined,
): void {
  for (const event of events) {
    reader.accept(parse(event, failures, requestId));
    if (reader.whole) return;
  }
}

/**
 * Yields a response while it arrives. The last event is `reply`, which is sent only after `message_stop`.
 * Changes to a block that arrive in the same piece are combined into one delta.
 * @throws HitlError MODEL_FAILED if the stream ends early, is too large, or violates the protocol.
 */
export async function* readStream(
  stream: OpenStream,
  context: PartContext,
): AsyncGenerator<LegEvent, void, undefined> {
  const { requestId } = stream;
  const { failures } = context;
  const decoder = new ServerEventDecoder(() => failures.tooLarge('a line in the stream', requestId));
  const reader = new MessageReader(failures);
  let bytes = 0;
  for (let piece = await stream.next(); piece !== undefined; piece = await stream.next()) {
    bytes += piece.length;
    if (bytes > LARGEST_ANSWER) throw failures.tooLarge('the reply', requestId);
    try {
      read(decoder.take(piece), reader, failures, requestId);
    } finally {
      yield* shown(reader.news(), context); // also what came before a fault
    }
    if (reader.whole) break;
  }
  if (!reader.whole) {
    throw failures.cutOff(reader.started ? undefined : stream.contentType, requestId);
  }
  await stream.drain();
  const content = toParts(reader.blocks, reader.stopReason, context);
  for (const part of content) {
    if (part.type === 'text' && isCutCall(part)) yield { type: 'text-delta', text: part.text };
  }
  const { stopReason, counts, refusal } = reader;
  const told = refusal === undefined ? {} : { refusal };
  yield { type: 'reply', leg: { content, end: replyEnd(stopReason), counts, ...told } };
}
