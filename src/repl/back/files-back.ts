import type { FileBefore, StoredEvent, UnkeptFile } from '../../core/index.js';
import { present } from '../../core/index.js';

// Invariants:
// B1 A file is brought back to what it was before the first change since the point, and only from a copy with the
//    digest that the journal has.
// B2 A file whose content none of our changes explains is left, unless a person says otherwise.
// B3 A change in the journal may not have happened: the process ended before it, or it failed. Whether it did is seen
//    by the file alone, so going back again finishes what was cut short and changes nothing twice.

/** A file changed since a given point in the session. */
export interface ChangedFile {
  readonly path: string;
  /** State of the file at that point. */
  readonly before: FileBefore;
  /** Permissions of the parent folders that were removed with the file, nearest first. */
  readonly folders?: readonly number[];
  /** Digests that the file may have after our changes. `null` means that the file may not exist. */
  readonly ours: readonly (string | null)[];
  /** Whether something else changed the file between two of our changes. */
  readonly isMixed: boolean;
  /** Whether a change may have put a secret into the file. */
  readonly isHidden: boolean;
  /** Whether any event about the file was written by something other than this user's program. */
  readonly isForeign: boolean;
  /** The calls that changed the file, as returned by `callKey`. */
  readonly calls: readonly string[];
}

interface Noted {
  readonly before: FileBefore;
  readonly after: string | null | undefined;
  /** Whether the change is known to have happened. */
  isDone: boolean;
}

/** Returns a key for a call that is unique within the session. Calls in different nodes may share a ref. */
export const callKey = (scope: string, ref: string): string => `${scope} ${ref}`;

/** Facts collected about a file while the events are read. */
interface Known {
  readonly notes: Noted[];
  readonly calls: string[];
  isMixed: boolean;
  isForeign: boolean;
}

/** Returns the files changed by the event with this number and by later events, sorted by path. */
export function changedFiles(events: readonly StoredEvent[], since: number): readonly ChangedFile[] {
  const files = new Map<string, Known>();
  const last = new Map<string, Noted>();
  for (const { seq, scope, event, foreign } of events) {
    if (event.type === 'tool-settled') {
      const note = last.get(callKey(scope, event.ref));
      if (note !== undefined) note.isDone = event.outcome.type === 'output';
    }
    if (event.type !== 'file-noted' || seq < since) continue;
    const { path, before, after, ref } = event;
    const file = files.get(path) ?? { notes: [], calls: [], isMixed: false, isForeign: false };
    const found = digestBefore(before);
    file.isMixed ||= file.notes.length > 0 && found !== undefined && !oursAfter(file.notes).includes(found);
    file.isForeign ||= foreign === true;
    const note = { before, after, isDone: false };
    file.notes.push(note);
    files.set(path, file);
    if (ref === undefined) continue;
    file.calls.push(callKey(scope, ref));
    last.set(callKey(scope, ref), note);
  }
  const byPath = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return byPath.flatMap(([path, { notes, ...known }]) => {
    const [first] = notes;
    if (first === undefined) return [];
    const isHidden = notes.some(({ after }) => after === undefined);
    const folders = notes.map((note) => foldersOf(note.before)).findLast((one) => one !== undefined);
    return [
      {
        path,
        before: first.before,
        ...present({ folders }),
        ours: oursAfter(notes),
        isHidden,
        ...known,
      },
    ];
  });
}

function foldersOf(before: FileBefore): readonly number[] | undefined {
  return before.type === 'copied' ? before.folders : undefined;
}

/** Returns the digest of a file before a change; `undefined` if it is unknown. */
function digestBefore(before: FileBefore): string | null | undefined {
  switch (before.type) {
    case 'copied':
      return before.sha256;
    case 'absent':
      return null;
    case 'unkept':
      return undefined;
  }
}

/**
 * Returns the digests that a file may have after these changes. There can be more than one, because the last
 * changes may not have happened (B3). More than one change may be uncertain, because two calls can run at
 * once.
 */
function oursAfter(notes: readonly Noted[]): readonly (string | null)[] {
  const ours: (string | null | undefined)[] = [];
  for (const { before, after, isDone } of notes.toReversed()) {
    ours.push(after);
    if (isDone) break;
    ours.push(digestBefore(before));
  }
  return ours.filter((digest) => digest !== undefined);
}

/**
 * The current state of a file. `elsewhere` means that it is a link, is not a regular file, or is outside the
 * session's folder.
 */
export type FoundFile =
  | { readonly type: 'file'; readonly sha256: string }
  | { readonly type: 'absent' }
  | { readonly type: 'elsewhere'; readonly why: string };

/** The reason that a file is left unchanged. */
export type LeftFile =
  | { readonly type: 'changed' }
  | { readonly type: 'unkept'; readonly why: UnkeptFile }
  /** The copy is missing or damaged. */
  | { readonly type: 'no-copy' }
  | { readonly type: 'foreign' }
  | { readonly type: 'elsewhere'; readonly why: string };

/** The action for a file when going back. `same`: the file already has its earlier content. */
export type FileStep = { readonly path: string } & (
  | {
      readonly what: 'restore';
      readonly sha256: string;
      readonly mode: number;
      readonly folders?: readonly number[];
      readonly isMixed: boolean;
    }
  | { readonly what: 'remove'; readonly isMixed: boolean }
  | { readonly what: 'same' }
  | { readonly what: 'left'; readonly left: LeftFile }
);

/**
 * Decides how to handle a changed file. With `overwrite`, a file that something else changed is restored as
 * well.
 */
export function fileStep(
  { path, before, folders, ours, isMixed, isForeign }: ChangedFile,
  found: FoundFile,
  { overwrite = false }: { readonly overwrite?: boolean } = {},
): FileStep {
  const left = (why: LeftFile): FileStep => ({ path, what: 'left', left: why });
  if (isForeign) return left({ type: 'foreign' });
  if (before.type === 'unkept') return left(before);
  if (found.type === 'elsewhere') return left(found);
  const now = found.type === 'absent' ? null : found.sha256;
  if (now === digestBefore(before)) return { path, what: 'same' };
  if (!overwrite && !ours.includes(now)) return left({ type: 'changed' });
  if (before.type === 'absent') return { path, what: 'remove', isMixed };
  const { sha256, mode } = before;
  return { path, what: 'restore', sha256, mode, ...present({ folders }), isMixed };
}
