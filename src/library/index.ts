export type { GenerateOptions } from './generate.js';
export { generate } from './generate.js';
export { systemClock } from './system-clock.js';
