/** A queue between parallel work and the one generator that tells of it. */
export class Arrivals<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  put(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Everything that has arrived, after waiting for at least one item. */
  async take(): Promise<readonly T[]> {
    if (this.#items.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
