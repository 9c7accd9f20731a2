import type { SessionTip } from '../journal/index.js';
import type { LoadedJournal } from '../snapshot/index.js';
import { foldLines, linesOf } from '../snapshot/index.js';
import type { SqlRow } from './driver/index.js';
import { textIn } from './driver/index.js';

/** Folds the lines of a session, checked as those of a file are. */
export function loadRows(rows: readonly SqlRow[]): LoadedJournal {
  return foldLines(linesOf(rows.map((row) => Buffer.from(textIn(row, 'line')))));
}

/** The end of what was loaded. Whoever writes the database can write anything in it: no session is foreign there. */
export function tipOfLoaded({ position, state, opening, createdAt, updatedAt }: LoadedJournal): SessionTip {
  return { ...position, state, isOpened: false, opening, isForeign: false, createdAt, updatedAt };
}
