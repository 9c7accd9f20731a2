export { besideQuestion } from './beside.js';
export { slashOffers } from './offers.js';
export { runSlash } from './slash.js';
