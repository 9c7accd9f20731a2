export { folderEntries, hasForeignEntries, hasRemains, removeTemporaries } from './folder-report.js';
export { digestOfOutput, fileBeside, isKeptOutput, keepOutput } from './keep-output.js';
export { isRemoved, removeFolder, setAside } from './remove-folder.js';
export type { SessionFolder } from './session-folder.js';
export { inboxOf, journalOf, lockOf, sessionFolder } from './session-folder.js';
export { newSessionId } from './session-id.js';
export type { FileStoreOptions, StoreContext } from './store-options.js';
export { ownersOf, storeContext } from './store-options.js';
export { untilChanged } from './until-changed.js';
