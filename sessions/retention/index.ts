export type { KeptWhy, Pruned, PruneOptions } from './prune-sessions.js';
export { pruneSessions } from './prune-sessions.js';
