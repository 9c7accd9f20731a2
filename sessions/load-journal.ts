import type { RunState } from '../src/core/index.js';
import { emptyState, evolve } from '../src/core/index.js';
import type { FileSystem } from './file-system.js';
import type { FormatStep } from './migrate.js';
import type { JournalScan } from './scan-journal.js';
import { scanJournal } from './scan-journal.js';

/** A journal as far as it is good, folded. */
export interface LoadedJournal extends JournalScan {
  readonly state: RunState;
  /** When the first and the last record were written; empty without records. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Reads and folds a journal, linear in its size. Throws Node's errors. */
export function loadJournal(fs: FileSystem, fd: number, steps: readonly FormatStep[]): LoadedJournal {
  let state = emptyState();
  let createdAt = '';
  let updatedAt = '';
  const scan = scanJournal(
    fs,
    fd,
    ({ event, at }) => {
      state = evolve(state, event);
      if (createdAt === '') createdAt = at;
      updatedAt = at;
    },
    { steps },
  );
  return { ...scan, state, createdAt, updatedAt };
}
