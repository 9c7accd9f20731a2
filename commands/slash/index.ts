export { slashOffers } from './names.js';
export { runSlash } from './slash.js';
