export { isActor } from './actor-name.js';
export { schemaProblem } from './fits-schema.js';
export { answerProblem, describeInterrupt, interruptProblem } from './check.js';
