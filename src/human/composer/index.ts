export { Composer } from './composer.js';
export { KEYS_HELP } from './keys-help.js';
export type { Offer, Offers } from './offers.js';
