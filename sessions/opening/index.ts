export { giveSession, takeSession } from './copy-session.js';
export { createSession } from './create-session.js';
export { examineSession, ownerOf } from './examine-session.js';
export type { FileSession } from './file-session.js';
export { lockSession, openToRead, openToWrite, readSession } from './open-session.js';
export { removeSession } from './remove-session.js';
export { repairSession } from './repair-session.js';
export { salvageSession } from './salvage-session.js';
export { SessionBase } from './session-base.js';
