export type { ComposerOptions } from './composer.js';
export { Composer } from './composer.js';
export type { Offer, Offers } from './offers.js';
