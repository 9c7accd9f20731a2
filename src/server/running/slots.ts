import type { Chat } from '../../library/index.js';

/** A slot for one running session. Dispose of the slot to release it. */
export interface Slot extends Disposable {
  /**
   * Registers the chat that uses the slot, so that it is closed with the server. If the server has already
   * closed, closes the chat immediately.
   */
  hold(chat: Chat): void;
}

/** Limits the number of sessions running at once. */
export class Slots {
  readonly #freed: () => void;
  readonly #taken = new Map<Slot, Chat | undefined>();
  #free: number;
  /** Resolves once every slot is released. Absent until draining starts. */
  #drained: Promise<void> | undefined;
  #isClosed = false;
  #emptied = (): void => undefined;

  /** `freed` is called whenever a slot is released. */
  constructor(most: number, freed: () => void) {
    this.#free = most;
    this.#freed = freed;
  }

  /** Takes a slot. Returns undefined if all slots are taken or draining has started. */
  take(): Slot | undefined {
    if (this.#free === 0 || this.#drained !== undefined) return undefined;
    this.#free -= 1;
    const slot: Slot = {
      hold: (chat) => {
        this.#taken.set(slot, chat);
        if (this.#isClosed) chat.close().catch(() => undefined); // whoever uses it hears of it
      },
      [Symbol.dispose]: () => {
        if (!this.#taken.delete(slot)) return;
        this.#free += 1;
        if (this.#taken.size === 0) this.#emptied();
        this.#freed();
      },
    };
    this.#taken.set(slot, undefined);
    return slot;
  }

  /**
   * Stops handing out slots.
   * @returns once every slot is released
   */
  drain(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      this.#emptied = resolve;
      if (this.#taken.size === 0) resolve();
    });
    return this.#drained;
  }

  /** Closes running sessions and waits until every slot is released. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const empty = this.drain();
    await Promise.allSettled(
      [...this.#taken.values()].flatMap((chat) => (chat === undefined ? [] : [chat.close()])),
    );
    await empty;
  }
}
