export type { Slot } from './slots.js';
export type { ServedAgent } from './served-agent.js';
export { chatOptions } from './served-agent.js';
export { ServedSessions } from './served-sessions.js';
