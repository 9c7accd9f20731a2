/** A queue between parallel work and the one generator that tells of it. */
export class Arrivals<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  put(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Everything that has arrived, after waiting for at least one item. */
  take(): Promise<readonly T[]> {
    if (this.#items.length > 0) return Promise.resolve(this.#taken());
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return woken.then(() => this.#taken());
  }

  #taken(): readonly T[] {
    const items = this.#items;
    this.#items = [];
    this.#wake = undefined;
    return items;
  }
}
