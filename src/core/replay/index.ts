export { answerDifference, passingOver } from './answer-difference.js';
export { cutFrom, frameOf, withoutLastEnds } from './cut-operations.js';
export { givenProblem, withGiven } from './given-value.js';
export type { GateState } from './operation-gate.js';
export {
  answerOperationGate,
  gateAt,
  gateProblem,
  gateState,
  lapsedGate,
  openGates,
  withUsedGate,
} from './operation-gate.js';
export { evolveOperation, openOperations, operationState } from './evolve-operation.js';
