export { amountText, amountUnit } from './amount.js';
export { count } from './count.js';
export { durationMs, durationText } from './duration.js';
export { plainLine, wrapShown } from './plain-line.js';
export { escapeText } from './escape.js';
