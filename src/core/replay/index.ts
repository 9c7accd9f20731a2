export { answerDifference, differingOperation } from './answer-difference.js';
export { cutFrom, frameOf, withoutLastEnds } from './cut-operations.js';
export { givenProblem, withGiven } from './given-value.js';
export { evolveOperation, openOperations, operationState } from './evolve-operation.js';
