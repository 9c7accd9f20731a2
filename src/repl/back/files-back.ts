import type { FileBefore, StoredEvent, UnkeptFile } from '../../core/index.js';
import { present } from '../../core/index.js';

// Invariants:
// B1 A file is brought back to what it was before the first change since the point, and only from a copy with the
//    digest that the journal has.
// B2 A file whose content none of our changes explains is left, unless a person says otherwise.
// B3 A change in the journal may not have happened: the process ended before it, or it failed. Whether it did is seen
//    by the file alone, so going back again finishes what was cut short and changes nothing twice.

/** A file that was changed since a point. */
export interface ChangedFile {
  readonly path: string;
  /** What it was at the point. */
  readonly before: FileBefore;
  /** Permissions of the folders above it that went with it, the nearest first. */
  readonly folders?: readonly number[];
  /** Digests that our changes may have left it with; `null`: it does not exist. */
  readonly ours: readonly (string | null)[];
  /** Something else changed it between two of our changes. */
  readonly isMixed: boolean;
  /** A change may have put a secret into it. */
  readonly isHidden: boolean;
  /** An event about it was not written by this user's program. */
  readonly isForeign: boolean;
  /** The calls that changed it: scope and ref. */
  readonly calls: readonly string[];
}

interface Noted {
  readonly before: FileBefore;
  readonly after: string | null | undefined;
  /** Whether the change happened for certain. */
  isDone: boolean;
}

/** Names a call within a session: two nodes may have calls of one ref. */
export const callKey = (scope: string, ref: string): string => `${scope} ${ref}`;

/** What is known of a file while the events are read. */
interface Known {
  readonly notes: Noted[];
  readonly calls: string[];
  isMixed: boolean;
  isForeign: boolean;
}

/** Returns the files that were changed by events with this number and later, by path. */
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

/** The digest of a file before a change; `undefined` if it is unknown. */
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

/** What a file may be after changes of which the last ones may not have happened (B3): two calls may try at once. */
function oursAfter(notes: readonly Noted[]): readonly (string | null)[] {
  const ours: (string | null | undefined)[] = [];
  for (const { before, after, isDone } of notes.toReversed()) {
    ours.push(after);
    if (isDone) break;
    ours.push(digestBefore(before));
  }
  return ours.filter((digest) => digest !== undefined);
}

/** A file as it is now. `elsewhere`: it is a link or no file, or is not in the folder of the session. */
export type FoundFile =
  | { readonly type: 'file'; readonly sha256: string }
  | { readonly type: 'absent' }
  | { readonly type: 'elsewhere'; readonly why: string };

/** Why a file is left as it is. */
export type LeftFile =
  | { readonly type: 'changed' }
  | { readonly type: 'unkept'; readonly why: UnkeptFile }
  /** Its copy is missing or damaged. */
  | { readonly type: 'no-copy' }
  | { readonly type: 'foreign' }
  | { readonly type: 'elsewhere'; readonly why: string };

/** What going back does with a file. `same`: it is already what it was. */
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

/** Decides what to do with a changed file. `overwrite`: also one that something else changed. */
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
