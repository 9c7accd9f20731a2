export { answerDifference, differingOperation } from './answer-difference.js';
export { frameOf, withoutLastEnds } from './cut-operations.js';
export { evolveOperation } from './evolve-operation.js';
