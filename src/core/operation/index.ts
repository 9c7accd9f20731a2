export type { Checkpoint, OperationKind, OperationRecord } from './operation.js';
export { isOver, OPERATION_KINDS } from './operation.js';
export type { OperationEvent, StepEvent } from './operation-event.js';
