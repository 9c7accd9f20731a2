export { deadlineJson, escalatedJson, onTimeoutJson, readDeadline } from './deadline-json.js';
export type { Deadline, Escalation, KeptDeadline, TimeoutOutcome } from './deadline.js';
export { deadlineOf, lasting } from './deadline.js';
export type { EscalatedFrom, OnTimeout } from '../interrupt.js';
export { standIns, withoutOthers, withPeople } from './stand-ins.js';
