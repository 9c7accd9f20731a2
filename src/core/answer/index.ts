export type { AnswerProblem, AnswerProblemKind } from './check.js';
export { answerProblem, describeInterrupt, interruptProblem } from './check.js';
