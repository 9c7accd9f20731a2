export type { GivenAnswer, ReadResolution, TakenAnswer } from './take-answer.js';
export { contextOf, readGiven, stateOf, takeAnswer } from './take-answer.js';
