export { besideQuestion } from './beside.js';
export type { PersonLine } from './context.js';
export { BACK, slashOffers } from './offers.js';
export { runSlash } from './slash.js';
