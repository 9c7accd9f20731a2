import type { Interrupt, InterruptDraft, NodePath } from '../core/index.js';
import { interruptId, isoTime, makeInterrupt, ROOT_PATH } from '../core/index.js';
import type { InterruptMint } from './run-options.js';

/** Numbers the interrupts of a session that follow on `count` others, wherever in it they are raised (I-4). */
export class InterruptFactory implements InterruptMint {
  #count: number;
  readonly #now: () => number;

  constructor(count: number, now: () => number) {
    this.#count = count;
    this.#now = now;
  }

  make(draft: InterruptDraft): Interrupt {
    return this.#make(draft, ROOT_PATH);
  }

  /** Makes the interrupts of what runs at a path. */
  at(path: NodePath): InterruptMint {
    return { make: (draft) => this.#make(draft, path) };
  }

  #make(draft: InterruptDraft, path: NodePath): Interrupt {
    this.#count += 1;
    const raisedAt = isoTime(this.#now());
    return makeInterrupt(draft, { id: interruptId(`i${this.#count}`), path, raisedAt });
  }
}
