import type { Interrupt, InterruptDraft, NodePath } from '../core/index.js';
import { interruptId, isoTime, makeInterrupt } from '../core/index.js';
import type { InterruptMint } from '../engine/index.js';

/** Numbers the interrupts of a whole session, wherever in it they are raised, so that no two share an id (I-4). */
export class SessionMint {
  #count: number;
  readonly #now: () => number;

  constructor(count: number, now: () => number) {
    this.#count = count;
    this.#now = now;
  }

  /** A mint for what runs at a path. */
  at(path: NodePath): InterruptMint {
    return {
      make: (draft: InterruptDraft): Interrupt => {
        this.#count += 1;
        const raisedAt = isoTime(this.#now());
        return makeInterrupt(draft, { id: interruptId(`i${this.#count}`), path, raisedAt });
      },
    };
  }
}
