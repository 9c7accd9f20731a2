export type { FileSession } from './opening/index.js';
export { createFileStore, FileStore } from './file-store.js';
export type { FileStoreOptions } from './folder/index.js';
export { newSessionId } from './folder/index.js';
export type { MemoryStoreOptions } from './memory-store.js';
export { createMemoryStore, MemoryStore } from './memory-store.js';
export { transcriptDocument, transcriptText } from './transcript/index.js';
export { countOpenings, ownKey } from './seal/index.js';
