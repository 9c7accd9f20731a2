export { amountText, amountUnit } from './amount.js';
export { count } from './count.js';
export { durationMs, durationText } from './duration.js';
export { plainLine } from './plain-line.js';
