export type { Checkpoint, OperationKind, OperationRecord } from './operation.js';
export { isInDoubt, isOver, mayRepeat, OPERATION_KINDS } from './operation.js';
export type { OperationGates, OperationPlan } from './gate.js';
export { isDoing, isGated, isOperationGate, nameOfKey, operationOf } from './gate.js';
export type { OperationEvent, StepEvent } from './operation-event.js';
export type { AskedOperation } from './asked.js';
export { operationAsked } from './asked.js';
