export { LAST_PAUSE, MANY_ATTEMPTS, pauseMs } from './attempts.js';
export type { NotHere, WorkDone, WorkerOptions } from './run-worker.js';
export { runWorker } from './run-worker.js';
