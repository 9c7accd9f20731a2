export { AppendListeners } from './append-listeners.js';
export type { Step } from './durable-file.js';
export { DurableFile } from './durable-file.js';
export { isEmpty, LOST, readingNotice, unfit } from './journal-verdict.js';
export {
  changedSince,
  checkWritable,
  closed,
  exists,
  notFound,
  openForAppending,
  openForReading,
} from './open-journal.js';
export type { ByteRange, Line } from './read-lines.js';
export { readChunks, readLines, readRange, sumOfFile } from './read-lines.js';
export { FlushQueue } from './flush-queue.js';
export type { JournalHealth, JournalPosition, JournalScan, ScanOptions } from './scan-journal.js';
export { JOURNAL_START, recordReader, scanJournal, scanLines } from './scan-journal.js';
export { tailJournal } from './tail-journal.js';
export type { SessionTip, Writer } from './session-tip.js';
export { NO_RECORDS, createdEvent, encodeBatch } from './session-tip.js';
