import type { Clock, ModelEvent, ModelReply } from '../core/index.js';

/** Speed at which to play back a reply. */
export interface Pacing {
  readonly clock: Clock;
  /** Pause after each word, in milliseconds. 0 means no pause. */
  readonly wordMs: number;
}

/** Splits text into words with their trailing whitespace. No characters are lost. */
function wordPieces(text: string): readonly string[] {
  return text.match(/^\s+|\S+\s*/gu) ?? [];
}

/** Yields text word by word, as a model does. */
export async function* streamText(
  text: string,
  pacing: Pacing | undefined,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  for (const piece of wordPieces(text)) {
    signal.throwIfAborted();
    yield { type: 'text-delta', text: piece };
    if (pacing !== undefined && pacing.wordMs > 0) await pacing.clock.sleep(pacing.wordMs, signal);
  }
}

/**
 * Yields the events of a model stream for a reply: its text in chunks, the size of its tool inputs, then the
 * complete reply.
 */
export async function* streamReply(
  reply: ModelReply,
  pacing: Pacing | undefined,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  for (const part of reply.content) {
    if (part.type === 'text') yield* streamText(part.text, pacing, signal);
    if (part.type === 'reasoning') yield { type: 'reasoning-delta', text: part.text };
    if (part.type === 'tool-request') {
      const { name, input } = part;
      yield { type: 'tool-input-delta', name, characters: JSON.stringify(input).length };
    }
  }
  signal.throwIfAborted();
  yield { type: 'reply', reply };
}
