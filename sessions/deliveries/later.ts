// Whoever sends nothing loads nothing of it.
import type { Deliveries, DeliveryNote } from '../../src/core/index.js';
import type { StoreContext } from '../folder/index.js';

/** The notes of a store on disk. */
export function fileDeliveries(context: StoreContext): Deliveries {
  return later(async () => {
    const { FileDeliveries } = await import('./file-deliveries.js');
    return new FileDeliveries(context);
  });
}

/** Notes in memory. */
export function memoryDeliveries(): Deliveries {
  return later(async () => {
    const { MemoryDeliveries } = await import('./delivery-book.js');
    return new MemoryDeliveries();
  });
}

function later(load: () => Promise<Deliveries>): Deliveries {
  let loading: Promise<Deliveries> | undefined;
  const loaded = (): Promise<Deliveries> => (loading ??= load());
  return {
    async *list(): AsyncGenerator<DeliveryNote> {
      yield* (await loaded()).list();
    },
    put: async (note) => (await loaded()).put(note),
    drop: async (note) => (await loaded()).drop(note),
  };
}
