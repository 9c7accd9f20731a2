export { collected, duration, stateEntry, wholeNumber } from './flag-values.js';
export type { Mode } from './mode.js';
export { modeOf, outputFormatOf } from './mode.js';
export type { CommonFlags, RunFlags } from './options.js';
export { addCommonOptions, addFlowOptions, addRunOptions } from './options.js';
