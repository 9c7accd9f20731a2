export type { Checkpoint, OperationKind, OperationRecord } from './operation.js';
export { isOver } from './operation.js';
export type { OperationEvent, StepEvent } from './operation-event.js';
