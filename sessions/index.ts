export { AnswerInbox, MessageInbox, MessageQueue } from './inbox/index.js';
export type { Salvage, SessionExamination, SessionRepair } from './opening/index.js';
export { FileSession } from './opening/index.js';
export { createFileStore, FileStore } from './file-store.js';
export type { FileStoreOptions, FolderEntry } from './folder/index.js';
export type { LockOwner } from './lock/index.js';
export type { MemoryStoreOptions } from './memory-store.js';
export { createMemoryStore, MemoryStore } from './memory-store.js';
export type {
  AnswerFate,
  AnswerReceipt,
  ControlDraft,
  MessageDraft,
  MessageMetrics,
  MessagePage,
  PageRequest,
  SendOptions,
  SentMessage,
} from './inbox/index.js';
export type { SavedSession } from './format/index.js';
export { newSessionId } from './folder/index.js';
export type { DamageKind } from './journal/index.js';
export { transcriptDocument, transcriptText } from './transcript/index.js';
export { countOpenings, ownKey } from './seal/index.js';
