export { activationId } from './frame.js';
export { livePath } from './live-path.js';
export { PersistentMap } from './persistent-map.js';
export { graphAnswerProblem } from './check-answer.js';
