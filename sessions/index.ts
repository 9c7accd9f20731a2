export { FileSession } from './file-session.js';
export { createFileStore, FileStore } from './file-store.js';
export type { MemoryStoreOptions } from './memory-store.js';
export { createMemoryStore, MemoryStore } from './memory-store.js';
export type { SavedSession } from './saved-session.js';
export { newSessionId } from './session-id.js';
export type { FileStoreOptions } from './store-options.js';
export type { TranscriptDocument, TranscriptInterrupt } from './transcript-file.js';
export { transcriptDocument, transcriptText } from './transcript-file.js';
