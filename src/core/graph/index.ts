export { activationId } from './frame.js';
export { activationsOf, livePath } from './live-path.js';
export { PersistentMap } from './persistent-map.js';
export { graphAnswerProblem } from './check-answer.js';
