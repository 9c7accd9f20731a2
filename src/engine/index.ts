export { interruptIn, InterruptSignal } from './interrupt-signal.js';
export type { LimitName, Limits, ReachedLimit } from './limits.js';
export type { Step, StepContext } from './next-step.js';
export { nextStep } from './next-step.js';
export type { RunOutcome } from './run.js';
export { run } from './run.js';
export type { EngineEvent, OnToolError, RunOptions } from './run-options.js';
