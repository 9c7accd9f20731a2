export { listSessions } from './list-sessions.js';
export { resolveId } from './resolve-id.js';
export { tidyStore } from './tidy-store.js';
