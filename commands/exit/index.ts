export type { ExitStatus } from './exit-codes.js';
export { exitCodesText, statusOf } from './exit-codes.js';
export type { ErrorReport } from './report-error.js';
export { reportError } from './report-error.js';
export { Signals } from './signals.js';
