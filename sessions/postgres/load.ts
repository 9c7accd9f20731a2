import type { Owner } from '../seal/authorship.js';
import type { LoadedJournal } from '../snapshot/load-journal.js';
import { foldLines, linesOf } from '../snapshot/load-journal.js';
import type { SqlRow } from './driver/sql-driver.js';
import type { Packer } from './packing.js';
import { lineIn } from './packing.js';

/**
 * Folds a session's records, verified like those of a file. @param owner distinguishes own from foreign
 * records
 */
export function loadRows(rows: readonly SqlRow[], packer: Packer | undefined, owner?: Owner): LoadedJournal {
  return foldLines(linesOf(rows.map((row) => lineIn(row, packer))), undefined, owner);
}
