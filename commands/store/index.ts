export { placeOf, shownStore, storeAddress } from './address.js';
export { storeOptions } from './store-options.js';
export { atMost, namedSession } from './which-session.js';
export { doctorOf, latestSession, openStore, storeFor, userKey } from './store.js';
