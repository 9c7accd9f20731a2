export { HeldSession } from './held-session.js';
export { LiveRun } from './live-run.js';
export { resultOf } from './result.js';
export type { EventsOptions, LiveSessionOptions, StopOptions } from './live-session.js';
export { LiveSession } from './live-session.js';
export { runOf } from './run-of.js';
export { NEW_SESSION, OLD_SESSION, SESSION } from './session-options.js';
