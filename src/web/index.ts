// `hitl/web`: events over HTTP, by the standards of fetch. It needs nothing of Node, and runs in a browser, too.
export type { LiveEvent, RunResult } from '../core/index.js';
export type { AskForEvents, ReadEventsOptions } from './read-events.js';
export { readEvents } from './read-events.js';
export { runResponse } from './run-response.js';
export type { NodeResponse } from './to-node.js';
export { toNode } from './to-node.js';
export { toRefusal } from './to-refusal.js';
export type { ToResponseOptions } from './to-response.js';
export { toResponse } from './to-response.js';
