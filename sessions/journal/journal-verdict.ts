import { HitlError } from '../../src/core/index.js';
import type { JournalHealth, JournalScan } from './scan-journal.js';

/** Whether a journal is empty. */
export function isEmpty({ position, health }: JournalScan): boolean {
  return position.seq === 0 && health.status === 'ok';
}

/** The health of a journal whose records are all missing. */
export const LOST: JournalHealth & { status: 'damaged' } = {
  status: 'damaged',
  line: 1,
  kind: 'gap',
  why: 'its journal is empty or gone',
  cutOff: 0,
};

/** Creates the error for a journal that cannot be continued: SESSION_DAMAGED or SESSION_NEWER. */
export function unfit(
  id: string,
  health: JournalHealth & { status: 'damaged' | 'newer' },
  lastGood: number,
): HitlError {
  const { line } = health;
  if (health.status === 'newer') {
    return new HitlError(
      'SESSION_NEWER',
      `session ${id} was written by a newer version (${health.what}, line ${line})`,
      {
        hint: 'install that version to continue; until then, only earlier events are readable',
        detail: { line, what: health.what, lastGood },
      },
    );
  }
  return new HitlError('SESSION_DAMAGED', `session ${id} is damaged at line ${line}: ${health.why}`, {
    hint: `nothing was changed; see what can be recovered: hitl doctor ${id}`,
    detail: { line, kind: health.kind, lastGood },
  });
}

/** Describes the damage to a journal for its reader; `undefined` if it is intact. */
export function readingNotice(id: string, { health, position }: JournalScan): string | undefined {
  switch (health.status) {
    case 'ok':
      return undefined;
    case 'torn':
      return `the last ${health.bytes} bytes of session ${id} are an incomplete event and were ignored`;
    case 'damaged':
    case 'newer':
      return `${unfit(id, health, position.seq).message}; only earlier events are shown`;
  }
}
