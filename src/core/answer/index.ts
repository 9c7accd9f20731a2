export type { AnswerProblem, AnswerProblemKind } from './check.js';
export { answerProblem, describeInterrupt, interruptProblem } from './check.js';
export { schemaProblem } from './fits-schema.js';
