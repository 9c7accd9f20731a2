export type { ServedAgent } from './served-sessions.js';
export { ServedSessions } from './served-sessions.js';
