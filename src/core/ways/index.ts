export { doneOf } from './done.js';
export { asksAgain, changesFlow, partsOf } from './edits.js';
export { limitOf } from './limit-of.js';
export type { Narrowed } from './narrow.js';
export { allowedWords, ANSWER_WAYS, narrowed, narrowedTwice, wayProblem } from './narrow.js';
export { allowedActions, messageActions, waysAt, waysOf } from './offers.js';
export type { Done, Taken, Way } from './way.js';
export { WAYS } from './ways.js';
