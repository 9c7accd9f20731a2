export { ownKey } from './own-key.js';
export type { Opening } from './seal.js';
export { countOpenings, isForeign, isSame, sealOfOpening, sealOfSnapshot } from './seal.js';
