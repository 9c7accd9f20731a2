export { slashOffers } from './offers.js';
export { runSlash } from './slash.js';
