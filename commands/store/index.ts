export { placeOf, shownLocks, shownStore, storeAddress } from './address.js';
export { forgetTyped } from './session-words.js';
export { upgradeStore } from './upgrade.js';
export { storeOptions } from './store-options.js';
export { atMost, namedSession } from './which-session.js';
export { keptServer } from './sign-ins.js';
export {
  copyNotice,
  doctorOf,
  latestSession,
  makeStoreKey,
  openStore,
  lineNotice,
  checkKey,
  proofNotice,
  storeFor,
  userKey,
} from './store.js';
