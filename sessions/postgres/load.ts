import type { Owner } from '../seal/index.js';
import type { LoadedJournal } from '../snapshot/index.js';
import { foldLines, linesOf } from '../snapshot/index.js';
import type { SqlRow } from './driver/index.js';
import { textIn } from './driver/index.js';

/** Folds the lines of a session, checked as those of a file are. @param owner tells ours from foreign */
export function loadRows(rows: readonly SqlRow[], owner?: Owner): LoadedJournal {
  return foldLines(linesOf(rows.map((row) => Buffer.from(textIn(row, 'line')))), undefined, owner);
}
