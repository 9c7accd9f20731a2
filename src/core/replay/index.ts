export { answerDifference, differingOperation } from './answer-difference.js';
export { cutFrom, frameOf, without, withoutLastEnds } from './cut-operations.js';
export { evolveOperation } from './evolve-operation.js';
