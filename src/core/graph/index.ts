export { activationId } from './frame.js';
export { PersistentMap } from './persistent-map.js';
export { graphAnswerProblem } from './check-answer.js';
