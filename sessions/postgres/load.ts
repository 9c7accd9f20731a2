import type { Owner } from '../seal/authorship.js';
import type { LoadedJournal } from '../snapshot/load-journal.js';
import { foldLines, linesOf } from '../snapshot/load-journal.js';
import type { SqlRow } from './driver/sql-driver.js';
import type { Packer } from './packing.js';
import { lineIn } from './packing.js';

/**
 * Computes the state of a session from its records, with the same checks as for records in a file. @param
 * owner distinguishes records written with our key from all others
 */
export function loadRows(rows: readonly SqlRow[], packer: Packer | undefined, owner?: Owner): LoadedJournal {
  return foldLines(linesOf(rows.map((row) => lineIn(row, packer))), undefined, owner);
}
