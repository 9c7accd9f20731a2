export type { LockHelper } from './kernel-lock.js';
export { LOCK_HELPERS } from './kernel-lock.js';
export type { HeldLock } from './lock.js';
export { acquireLock, pidFileOf, readOwner } from './lock.js';
export type { ProcessTable } from './owner.js';
export { isOwnerAlive, parseOwner, systemProcesses } from './owner.js';
