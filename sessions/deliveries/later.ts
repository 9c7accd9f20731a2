// Whoever sends nothing loads nothing of it.
import type { Deliveries, DeliveryNote, DeliveryPart } from '../../src/core/index.js';
import type { StoreContext } from '../folder/store-options.js';
import type { Waiting } from './all-parts.js';

/** The notes of a store on disk. */
export function fileDeliveries(context: StoreContext, waiting: Waiting): Deliveries {
  return later(async () => {
    const { FileDeliveries } = await import('./file-deliveries.js');
    return new FileDeliveries(context, waiting);
  });
}

/** Notes in memory. */
export function memoryDeliveries(waiting: Waiting): Deliveries {
  return later(async () => {
    const { MemoryDeliveries } = await import('./delivery-book.js');
    return new MemoryDeliveries(waiting);
  });
}

function later(load: () => Promise<Deliveries>): Deliveries {
  let loading: Promise<Deliveries> | undefined;
  const loaded = (): Promise<Deliveries> => (loading ??= load());
  return {
    async *list(query): AsyncGenerator<DeliveryNote> {
      yield* (await loaded()).list(query);
    },
    async *due(target, now): AsyncGenerator<DeliveryPart> {
      yield* (await loaded()).due(target, now);
    },
    put: async (note) => (await loaded()).put(note),
    drop: async (note) => (await loaded()).drop(note),
  };
}
