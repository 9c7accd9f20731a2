import type { SessionEvent, ToolRef } from '../core/index.js';

export type Start = SessionEvent & { readonly type: 'tool-started' };

/**
 * Calls whose start has not been shown yet. A start is shown right before the call's result. It is not shown
 * before a question, because the call would seem to be running already. If the tool itself asks a question,
 * the question replaces the start.
 */
export class HeldStarts {
  readonly #starts = new Map<ToolRef, Start>();

  hold(start: Start): void {
    this.#starts.set(start.ref, start);
  }

  has(ref: ToolRef): boolean {
    return this.#starts.has(ref);
  }

  /** Returns and removes the start of a call; empty if there is none. */
  take(ref: ToolRef): readonly Start[] {
    const start = this.#starts.get(ref);
    this.#starts.delete(ref);
    return start === undefined ? [] : [start];
  }

  /** Returns the starts that must be shown before an event. */
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
