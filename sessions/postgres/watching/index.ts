export type { Ear } from './bell.js';
export { Bell, CHANNEL, DUE } from './bell.js';
export type { SeenSession, SessionChange, SessionChanges } from './watch-rows.js';
export { watchRows } from './watch-rows.js';
