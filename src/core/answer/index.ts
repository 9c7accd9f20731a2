export { answerProblem, describeInterrupt, interruptProblem } from './check.js';
export type { Given } from './answer-events.js';
export { answerEvents } from './answer-events.js';
export { mayAnswerItself } from './from-elsewhere.js';
export { answeredBy, notWaiting } from './not-waiting.js';
export { passedOn } from './passed-on.js';
