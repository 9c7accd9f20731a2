import type { RunState, SessionEvent, TransientEvent } from '../core/index.js';
import { transcriptMessages, transcriptPart } from '../core/index.js';
import type { GenerateEvent } from './generate-types.js';

/** Tells a stream's consumer of whole messages by index, beside what is transient. */
export class ChunkStream {
  readonly #tell: (event: GenerateEvent) => void;
  #index = 0;

  constructor(tell: (event: GenerateEvent) => void) {
    this.#tell = tell;
  }

  transient(event: TransientEvent): void {
    this.#tell(event);
  }

  told(event: SessionEvent, before: RunState, after: RunState): void {
    if (event.type === 'interrupt-raised' && event.interrupt.atOnce !== true)
      this.#tell({ type: 'interrupt', interrupt: event.interrupt });
    if (event.type === 'message-added' && event.message.role === 'model')
      this.#chunk('model', event.message.content.map(transcriptPart));
    this.settled(before, after);
  }

  /** A tool message exists from the moment the last call of its turn is settled. */
  settled(before: RunState, after: RunState): void {
    if (before.open === undefined || after.open !== undefined) return;
    for (const { content } of transcriptMessages(after, after.entries.length - 1))
      this.#chunk('tool', content);
  }

  #chunk(role: 'model' | 'tool', content: (GenerateEvent & { type: 'chunk' })['content']): void {
    this.#tell({ type: 'chunk', index: this.#index, role, content });
    this.#index += 1;
  }
}
