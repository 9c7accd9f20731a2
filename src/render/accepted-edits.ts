import type { Interrupt, RunState, SessionEvent } from '../core/index.js';
import { factsShown, isJsonObject, modeText, plainLine, readDiff } from '../core/index.js';
import { decisionOnCall } from './latest-decision.js';
import type { Drawing } from './status-line.js';

/** Columns of a path. */
const PATH_COLUMNS = 100;
/** Number of listed files; the rest is counted. */
const MOST_FILES = 20;

/** One file's change in a turn. */
interface Change {
  readonly path: string;
  readonly isNew: boolean;
  readonly added: number;
  readonly removed: number;
}

/** The files that a turn changed without a question, because the mode of the session is to accept that. */
export class AcceptedEdits {
  readonly #changed = new Map<string, Change>();

  /** Takes note of a call that ran; `state` is the fold with the event. */
  note(event: SessionEvent, state: RunState): void {
    if (event.type !== 'tool-settled' || event.outcome.type !== 'output') return;
    const decided = decisionOnCall(event.ref, state);
    if (decided?.by.type !== 'rule' || decided.by.rule !== modeText('accept-edits')) return;
    const change = changeOf(decided.interrupt, state.cwd);
    const before = this.#changed.get(change.path);
    this.#changed.set(change.path, before === undefined ? change : both(before, change));
  }

  /** Returns a line per file changed since the last call. */
  lines({ theme }: Drawing): readonly string[] {
    const files = [...this.#changed.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    this.#changed.clear();
    if (files.length === 0) return [];
    const rest = files.length - MOST_FILES;
    return [
      theme.dim('Changed without asking (accept-edits):'),
      ...files.slice(0, MOST_FILES).map(({ path, isNew, added, removed }) => {
        const counts = [
          ...(added > 0 ? [theme.success(`+${added}`)] : []),
          ...(removed > 0 ? [theme.failure(`−${removed}`)] : []),
        ];
        return `  ${isNew ? 'New' : 'Edit'} ${plainLine(path, PATH_COLUMNS)}  ${counts.join(' ')}`.trimEnd();
      }),
      ...(rest > 0 ? [theme.dim(`  and ${rest} more (/diff shows all)`)] : []),
    ];
  }
}

function changeOf({ payload }: Interrupt, cwd: string | undefined): Change {
  const { path, change } = factsShown(payload);
  const real = typeof path === 'string' ? path : '';
  const diff = isJsonObject(payload) ? payload['diff'] : undefined;
  const found = typeof diff === 'string' ? readDiff(diff) : undefined;
  const isHere = cwd !== undefined && real.startsWith(`${cwd}/`);
  return {
    path: isHere ? real.slice(cwd.length + 1) : real,
    isNew: change === 'creates the file',
    added: found?.added ?? 0,
    removed: found?.removed ?? 0,
  };
}

function both(first: Change, second: Change): Change {
  const added = first.added + second.added;
  return { ...first, added, removed: first.removed + second.removed };
}
