export { hasPassed } from './has-passed.js';
export { Mutex } from './mutex.js';
export { once } from './once.js';
export { untilResolved } from './until-resolved.js';
export { withinTime } from './within-time.js';
