export { decisionProblem } from './decision-problem.js';
export { escalate } from './escalate.js';
export { expiredResolution, timeoutProblem } from './expiry.js';
export { awaiting, outsideEffects } from './outside-event.js';
export type { Wait } from './wait.js';
export { isQuestion, waitOf, waitVerb } from './wait.js';
export type { Timer } from './timers.js';
export { dueEvent, fireDue, nextTimer } from './timers.js';
