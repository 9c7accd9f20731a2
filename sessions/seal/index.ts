export type { ForeignPast, Owner } from './authorship.js';
export { Authorship, digestOfEnd, pastOf } from './authorship.js';
export type { JournalEnd } from './ends.js';
export { Ends } from './ends.js';
export { ownKey } from './own-key.js';
export { MAC_LENGTH, Seal } from './seal.js';
