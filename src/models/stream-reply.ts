import type { Clock, ModelEvent, ModelReply } from '../core/index.js';

/** Speed of replaying a known reply. */
export interface Pacing {
  readonly clock: Clock;
  /** Pause after each word, in milliseconds. 0 never waits. */
  readonly wordMs: number;
}

/** Splits text into words with their trailing white space, without loss. */
function wordPieces(text: string): readonly string[] {
  return text.match(/^\s+|\S+\s*/gu) ?? [];
}

/** Yields text word by word, like a model. */
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

/** Yields a whole reply like a model's stream: its text in pieces, the size of its tool inputs, the reply. */
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
