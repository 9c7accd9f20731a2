export type { LoadedJournal } from './load-journal.js';
export { checkedLines, foldLines, linesOf, loadJournal } from './load-journal.js';
export { readSnapshot } from './read-snapshot.js';
export { SNAPSHOT_EVERY, writeSnapshot } from './write-snapshot.js';
