interface Change<V> {
  readonly key: string;
  /** The previous value; absent if the key was absent. */
  readonly before?: V;
  readonly had: boolean;
  readonly newer: Link<V>;
}

type Content<V> = Map<string, V> | Change<V>;

interface Link<V> {
  content: Content<V>;
}

/**
 * A persistent map whose newest version can be changed in constant time. Older versions store differences and
 * are slower. Entries are iterated in insertion order.
 */
export class PersistentMap<V> {
  readonly #link: Link<V>;

  private constructor(link: Link<V>) {
    this.#link = link;
  }

  static of<V>(entries: Iterable<readonly [string, V]> = []): PersistentMap<V> {
    return new PersistentMap({ content: new Map(entries) });
  }

  get size(): number {
    return this.#map().size;
  }

  get(key: string): V | undefined {
    return this.#map().get(key);
  }

  set(key: string, value: V): PersistentMap<V> {
    const map = this.#map();
    const newest: Link<V> = { content: map };
    const before = map.get(key);
    this.#link.content = {
      key,
      had: map.has(key),
      ...(before !== undefined && { before }),
      newer: newest,
    };
    map.set(key, value);
    return new PersistentMap(newest);
  }

  /** Returns the map without the given keys. Takes linear time if the map contains any of them. */
  without(keys: readonly string[]): PersistentMap<V> {
    const map = this.#map();
    if (!keys.some((key) => map.has(key))) return this;
    const gone = new Set(keys);
    return PersistentMap.of([...map].filter(([key]) => !gone.has(key)));
  }

  entries(): readonly (readonly [string, V])[] {
    return [...this.#map()];
  }

  values(): readonly V[] {
    return [...this.#map().values()];
  }

  #map(): Map<string, V> {
    const { content } = this.#link;
    if (content instanceof Map) return content;
    const copy = materialise(content);
    this.#link.content = copy; // this version lives on by itself
    return copy;
  }
}

/** Rebuilds an older version from the newest one by reverting changes. */
function materialise<V>(first: Change<V>): Map<string, V> {
  const changes: Change<V>[] = [];
  let content: Content<V> = first;
  while (!(content instanceof Map)) {
    changes.push(content);
    content = content.newer.content;
  }
  const map = new Map(content);
  for (const { key, had, before } of changes.reverse()) {
    if (had && before !== undefined) map.set(key, before);
    else map.delete(key);
  }
  return map;
}
