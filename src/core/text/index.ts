export { fitsGlob } from './glob.js';
export { amountText } from './amount.js';
export { count } from './count.js';
export { fromHome } from './from-home.js';
export { durationMs, durationText } from './duration.js';
export { isoTime, timeOf } from './iso-time.js';
export { firstRow, plainLine } from './plain-line.js';
export { escapeText } from './escape.js';
