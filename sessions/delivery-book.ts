import type { Deliveries, DeliveryNote, DeliveryPart, WaitingItem } from '../src/core/index.js';

/** Keeps delivery notes in memory, for a store that does not outlive its process. */
export class MemoryDeliveries implements Deliveries {
  readonly #notes = new Map<string, DeliveryNote>();
  readonly #waiting: Waiting;

  constructor(waiting: Waiting) {
    this.#waiting = waiting;
  }

  async *list(): AsyncGenerator<DeliveryNote> {
    yield* [...this.#notes.values()];
  }

  due(): AsyncIterable<DeliveryPart> {
    return allParts(this, this.#waiting);
  }

  async put(note: DeliveryNote): Promise<boolean> {
    if (!follows(note, this.#notes.get(note.key))) return false;
    this.#notes.set(note.key, note);
    return true;
  }

  async drop({ key, revision }: DeliveryNote): Promise<boolean> {
    return this.#notes.get(key)?.revision === revision && this.#notes.delete(key);
  }
}

/** Whether a note may replace the previous one, or be stored as the first one. */
export function follows({ revision }: DeliveryNote, before: DeliveryNote | undefined): boolean {
  return revision === (before?.revision ?? 0) + 1;
}

/** Lists a store's open interrupts. */
export type Waiting = () => AsyncIterable<WaitingItem>;

/** Yields all notes and open interrupts as one part, for stores without an index of due notes. */
export async function* allParts(
  book: Pick<Deliveries, 'list'>,
  waits: Waiting,
): AsyncGenerator<DeliveryPart> {
  const notes: DeliveryNote[] = [];
  for await (const note of book.list()) notes.push(note);
  const waiting: WaitingItem[] = [];
  for await (const item of waits()) waiting.push(item);
  yield { notes, waiting };
}
