export { isActor } from './actor-name.js';
export { schemaProblem } from './fits-schema.js';
export { answerProblem, describeInterrupt, interruptProblem } from './check.js';
export { resolvedEvent } from './resolved-event.js';
