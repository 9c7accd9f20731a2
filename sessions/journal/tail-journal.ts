import type { EventTail, StoredEvent } from '../../src/core/index.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { openForReading } from './open-journal.js';
import type { JournalPosition } from './scan-journal.js';
import { JOURNAL_START, scanJournal } from './scan-journal.js';

/** A position in a specific file. */
interface Mark {
  readonly position: JournalPosition;
  readonly past: string;
  readonly ino: number;
}

/**
 * Reads the events added to a journal since the last read. If the journal was rewritten, continues after the
 * same record.
 */
export function tailJournal(context: StoreContext, folder: SessionFolder): EventTail {
  const { fs, steps } = context;
  let mark: Mark | undefined;
  let last = 0;
  return {
    next: async () => {
      const fd = openForReading(fs, folder);
      try {
        const { ino, size } = fs.factsOf(fd);
        const known = mark?.ino === ino && mark.position.length <= size ? mark : undefined;
        if (known?.position.length === size) return [];
        const found: StoredEvent[] = [];
        const see = (stored: StoredEvent): void => {
          if (stored.seq > last) found.push(stored);
        };
        const { position, past, endsOpen } = scanJournal(fs, fd, see, {
          from: known?.position ?? JOURNAL_START,
          past: known?.past ?? '',
          steps,
          owner: context.owner(folder.id),
        });
        mark = endsOpen ? undefined : { position, past, ino }; // the next line would begin with its newline
        last = Math.max(last, position.seq);
        return found;
      } finally {
        fs.close(fd);
      }
    },
  };
}
