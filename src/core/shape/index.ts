export { actorProblem, shapeProblem } from './answer-shape.js';
export { schemaProblem, SEALED } from './fits-schema.js';
export { interruptShapeProblem } from './interrupt-shape.js';
export { messagesProblem, partShape, returnedProblem } from './message-shape.js';
