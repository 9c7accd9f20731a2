import type { SessionEvent, ToolRef } from '../core/index.js';

export type Start = SessionEvent & { readonly type: 'tool-started' };

/**
 * Starts of calls that are not told yet. Each is told above what comes of it, and never above a question: there it would
 * look like what goes on meanwhile. One whose body asks is told by its question.
 */
export class HeldStarts {
  readonly #starts = new Map<ToolRef, Start>();

  hold(start: Start): void {
    this.#starts.set(start.ref, start);
  }

  has(ref: ToolRef): boolean {
    return this.#starts.has(ref);
  }

  /** Returns the start of a call, once. */
  take(ref: ToolRef): readonly Start[] {
    const start = this.#starts.get(ref);
    this.#starts.delete(ref);
    return start === undefined ? [] : [start];
  }

  /** Returns the starts to show before an event. */
  before(event: SessionEvent): readonly Start[] {
    if (event.type === 'tool-settled') return this.take(event.ref);
    if (event.type === 'run-ended') return this.#takeAll();
    if (event.type !== 'interrupt-raised') return [];
    const { source } = event.interrupt;
    if (source.type === 'tool') this.#starts.delete(source.ref);
    return [];
  }

  #takeAll(): readonly Start[] {
    const all = [...this.#starts.values()];
    this.#starts.clear();
    return all;
  }
}
