export { createFileStore, FileStore } from './file-store.js';
export type { MemoryStoreOptions } from './memory-store.js';
export { createMemoryStore } from './memory-store.js';
export type { FileStoreOptions } from './store-options.js';
export { newSessionId } from './session-id.js';
