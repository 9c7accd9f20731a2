export { eventsOf } from './events-of.js';
export { pickSession } from './pick-session.js';
export { storeOptions } from './store-options.js';
export type { AnyStore } from './store.js';
export { isFileStore, openStore, storeFor, userKey } from './store.js';
