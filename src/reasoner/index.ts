export type { ReasonerOptions, Situation } from './choose-action.js';
export { chooseAction } from './choose-action.js';
