import type { SessionEvent, ToolRef } from '../core/index.js';

type Start = SessionEvent & { readonly type: 'tool-started' };

/**
 * Started calls that are not shown yet. Each is shown before its result, or when another line replaces the
 * activity row; a call that asks is shown only by its question.
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
    return this.#takeAll();
  }

  #takeAll(): readonly Start[] {
    const all = [...this.#starts.values()];
    this.#starts.clear();
    return all;
  }
}
