import type { Deliveries, DeliveryNote, DeliveryPart, WaitingItem } from '../../src/core/index.js';

/** Lists what is open in the sessions of a store. */
export type Waiting = () => AsyncIterable<WaitingItem>;

/** All notes and all that waits, as one part: for stores that have no index of what is due. */
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
