import type { Interrupt, InterruptDraft } from '../core/index.js';
import { interruptId, isoTime, makeInterrupt, ROOT_PATH } from '../core/index.js';

/** Numbers the interrupts that follow on `count` others. */
export class InterruptFactory {
  #count: number;
  readonly #now: () => number;

  constructor(count: number, now: () => number) {
    this.#count = count;
    this.#now = now;
  }

  make(draft: InterruptDraft): Interrupt {
    this.#count += 1;
    const raisedAt = isoTime(this.#now());
    return makeInterrupt(draft, { id: interruptId(`i${this.#count}`), path: ROOT_PATH, raisedAt });
  }
}
