export { answerProblem, describeInterrupt, interruptProblem } from './check.js';
export type { Given } from './answer-events.js';
export { answerEvents } from './answer-events.js';
export type { Naming } from './named.js';
export { isYes, namingVerdict } from './named.js';
export { answeredBy, notWaiting } from './not-waiting.js';
export { passedOn } from './passed-on.js';
export type { QuestionName } from './shown-digest.js';
export { isDigestOf, isDigestText, readQuestionName, shortDigest } from './shown-digest.js';
