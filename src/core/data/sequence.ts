import { invariant } from './assert.js';

/** A read-only list that can only grow at its end. Existing items never change. */
export interface Sequence<T> extends Iterable<T> {
  readonly length: number;
  /** Returns the item at an index; `undefined` if it is out of range. Negative indexes count from the end. */
  at(index: number): T | undefined;
  /** Returns the last matching item, searching from the end. */
  findLast(isMeant: (item: T) => boolean): T | undefined;
  toArray(): readonly T[];
}

/**
 * A persistent list that appends in constant time. Invariants:
 * L1 `items[0 .. length)` never changes once a list has exposed it.
 * L2 A list that is as long as the backing array owns the array's tail and may push in place. Any older list
 *    copies the array before it appends, so two lists that continue the same past never see each other's
 *    items. Two folds of the same events do not copy: if the other fold added an equal item, it is reused.
 * L3 A lazy list loads its items once, on first access.
 */
export class AppendList<T> implements Sequence<T> {
  readonly length: number;
  #items: T[] | (() => T[]);

  private constructor(items: T[] | (() => T[]), length: number) {
    this.#items = items;
    this.length = length;
  }

  static of<T>(items: Iterable<T> = []): AppendList<T> {
    const copy = [...items];
    return new AppendList(copy, copy.length);
  }

  /**
   * Returns a list that loads its items on first access.
   * @throws HitlError INTERNAL on first access, if `length` is wrong.
   */
  static lazy<T>(length: number, load: () => Iterable<T>): AppendList<T> {
    return new AppendList(() => {
      const items = [...load()];
      invariant(items.length === length, `expected a list of ${length} items, got ${items.length}`);
      return items;
    }, length);
  }

  append(item: T): AppendList<T> {
    const loaded = this.#loaded();
    if (this.length < loaded.length && loaded[this.length] === item)
      return new AppendList(loaded, this.length + 1);
    const items = loaded.length === this.length ? loaded : loaded.slice(0, this.length); // L2
    items.push(item);
    return new AppendList(items, this.length + 1);
  }

  at(index: number): T | undefined {
    const position = index < 0 ? this.length + index : index;
    return position < this.length ? this.#loaded()[position] : undefined; // L1
  }

  findLast(isMeant: (item: T) => boolean): T | undefined {
    const position = this.#loaded().findLastIndex((item, at) => at < this.length && isMeant(item)); // L1
    return position < 0 ? undefined : this.at(position);
  }

  toArray(): readonly T[] {
    return this.#loaded().slice(0, this.length);
  }

  *[Symbol.iterator](): Iterator<T> {
    let left = this.length; // L1
    for (const item of this.#loaded()) {
      if (left === 0) return;
      left -= 1;
      yield item;
    }
  }

  #loaded(): T[] {
    if (typeof this.#items === 'function') this.#items = this.#items(); // L3
    return this.#items;
  }
}

/** A persistent set of tool refs, with the same invariants as `AppendList` (L1, L2, L3). */
export class RefIndex {
  readonly size: number;
  #positions: Map<string, number> | (() => Map<string, number>);

  private constructor(positions: Map<string, number> | (() => Map<string, number>), size: number) {
    this.#positions = positions;
    this.size = size;
  }

  static empty(): RefIndex {
    return new RefIndex(new Map(), 0);
  }

  /**
   * Returns an index that loads its refs on first access.
   * @throws HitlError INTERNAL on first access, if `size` is wrong.
   */
  static lazy(size: number, load: () => Iterable<string>): RefIndex {
    return new RefIndex(() => {
      const positions = new Map<string, number>();
      for (const ref of load()) positions.set(ref, positions.size);
      invariant(positions.size === size, `expected an index of ${size} refs, got ${positions.size}`);
      return positions;
    }, size);
  }

  has(ref: string): boolean {
    const position = this.#loaded().get(ref);
    return position !== undefined && position < this.size; // L1
  }

  /** Adds a ref; returns the same index if it already contains the ref. */
  add(ref: string): RefIndex {
    const loaded = this.#loaded();
    const position = loaded.get(ref);
    if (position !== undefined && position < this.size) return this;
    if (position === this.size) return new RefIndex(loaded, this.size + 1); // another fold was here before
    const shared = loaded.size === this.size; // L2
    const positions = shared ? loaded : new Map([...loaded].filter(([known]) => this.has(known)));
    positions.set(ref, this.size);
    return new RefIndex(positions, this.size + 1);
  }

  #loaded(): Map<string, number> {
    if (typeof this.#positions === 'function') this.#positions = this.#positions(); // L3
    return this.#positions;
  }
}
