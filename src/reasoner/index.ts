export type { ReasonerOptions } from './choose-action.js';
export { chooseAction } from './choose-action.js';
