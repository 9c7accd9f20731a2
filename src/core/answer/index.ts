export { answerProblem, describeInterrupt, interruptProblem } from './check.js';
