import type { JsonObject, ModelEvent, Part, ReplyEnd } from '../../core/index.js';
import type { OpenStream } from './connection.js';
import type { BlockDelta } from './message-reader.js';
import { MessageReader } from './message-reader.js';
import type { PartContext } from './to-parts.js';
import { isCutCall, isDirectCall, replyEnd, toParts } from './to-parts.js';

/** What one answer of the provider brought: a reply, or the part of one up to a pause. */
export interface Leg {
  readonly content: readonly Part[];
  readonly end: ReplyEnd;
  /** Tokens as the provider counts them. */
  readonly counts: JsonObject;
}

export type LegEvent =
  Exclude<ModelEvent, { readonly type: 'reply' }> | { readonly type: 'reply'; readonly leg: Leg };

function shown({ type, block, text }: BlockDelta, { tools }: PartContext): LegEvent | undefined {
  switch (type) {
    case 'text':
      return { type: 'text-delta', text };
    case 'thinking':
      return { type: 'reasoning-delta', text };
    case 'json': {
      if (!isDirectCall(block)) return undefined;
      const { name } = block.start;
      const ours = tools.meant(typeof name === 'string' ? name : '', {}).name;
      return { type: 'tool-input-delta', name: ours, characters: text.length };
    }
  }
}

/**
 * Tells an answer as it comes; the last event is `reply`, and it comes only after `message_stop`.
 * @throws HitlError MODEL_FAILED where the stream ends before, or breaks the rules of the protocol.
 */
export async function* readStream(
  stream: OpenStream,
  context: PartContext,
): AsyncGenerator<LegEvent, void, undefined> {
  const reader = new MessageReader(context.failures);
  let events = 0;
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
    events += 1;
    const delta = reader.accept(next.value);
    const seen = delta === undefined ? undefined : shown(delta, context);
    if (seen !== undefined) yield seen;
    if (reader.whole) break;
  }
  if (!reader.whole) {
    throw context.failures.cutOff(events === 0 ? stream.contentType : undefined, stream.requestId);
  }
  await stream.drain();
  const content = toParts(reader.blocks, reader.stopReason, context);
  for (const part of content) {
    if (part.type === 'text' && isCutCall(part)) yield { type: 'text-delta', text: part.text };
  }
  yield { type: 'reply', leg: { content, end: replyEnd(reader.stopReason), counts: reader.counts } };
}
