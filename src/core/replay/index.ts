export { answerDifference, differingOperation } from './answer-difference.js';
export { cutFrom, frameOf, withoutLastEnds } from './cut-operations.js';
export { evolveOperation, openOperations, operationState } from './evolve-operation.js';
