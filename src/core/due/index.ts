export { decisionProblem } from './decision-problem.js';
export { escalate } from './escalate.js';
export { expiredResolution, isExpired, timeoutProblem } from './expiry.js';
export type { Timer } from './timers.js';
export { dueEvent, fireDue, nextTimer, timersOf } from './timers.js';
