export type { Ear } from './bell.js';
export type { SeenSession, SessionChange, SessionChanges } from './watch-rows.js';
export { Bell, CHANNEL, DUE, isDue, isDueFor, tellDue } from './bell.js';
export { watchRows } from './watch-rows.js';
