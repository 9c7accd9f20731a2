/** A read-only list that grows only at its end: what a reader holds never changes under it. */
export interface Sequence<T> extends Iterable<T> {
  readonly length: number;
  /** The item at an index; negative indexes count from the end; `undefined` outside. */
  at(index: number): T | undefined;
  toArray(): readonly T[];
}

/**
 * A persistent list with appends in constant time. Invariants:
 * L1 `items[0 .. length)` never changes once a list has shown it.
 * L2 the list whose length equals that of the backing array owns its tail and may push in place; any older
 *    list copies before it appends, so two continuations of one past never see each other.
 */
export class AppendList<T> implements Sequence<T> {
  readonly length: number;
  readonly #items: T[];

  private constructor(items: T[], length: number) {
    this.#items = items;
    this.length = length;
  }

  static of<T>(items: Iterable<T> = []): AppendList<T> {
    const copy = [...items];
    return new AppendList(copy, copy.length);
  }

  append(item: T): AppendList<T> {
    const items = this.#items.length === this.length ? this.#items : this.#items.slice(0, this.length); // L2
    items.push(item);
    return new AppendList(items, this.length + 1);
  }

  at(index: number): T | undefined {
    const position = index < 0 ? this.length + index : index;
    return position < this.length ? this.#items[position] : undefined; // L1
  }

  toArray(): readonly T[] {
    return this.#items.slice(0, this.length);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index += 1) {
      const item = this.#items[index];
      if (item !== undefined) yield item;
    }
  }
}

/** A persistent set of tool refs; the same bargain as `AppendList` (L1, L2). */
export class RefIndex {
  readonly #positions: Map<string, number>;
  readonly #size: number;

  private constructor(positions: Map<string, number>, size: number) {
    this.#positions = positions;
    this.#size = size;
  }

  static empty(): RefIndex {
    return new RefIndex(new Map(), 0);
  }

  has(ref: string): boolean {
    const position = this.#positions.get(ref);
    return position !== undefined && position < this.#size; // L1
  }

  add(ref: string): RefIndex {
    const shared = this.#positions.size === this.#size; // L2
    const positions = shared
      ? this.#positions
      : new Map([...this.#positions].filter(([known]) => this.has(known)));
    positions.set(ref, this.#size);
    return new RefIndex(positions, this.#size + 1);
  }
}
