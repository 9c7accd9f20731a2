import type {
  Actor,
  FileCopies,
  NotedFile,
  Session,
  SessionEvent,
  SessionStore,
  StoredEvent,
} from '../../src/core/index.js';
import {
  HitlError,
  isHitlError,
  maskText,
  messageOf,
  MOST_COPIED,
  present,
  sha256,
} from '../../src/core/index.js';
import { keptBefore } from '../../src/engine/index.js';
import type { Place, Workspace } from '../../src/files/index.js';
import { lookAt, placeOf, readBytes, realFolder, removeFile, writeText } from '../../src/files/index.js';
import type { ChangedFile, FileStep, FoundFile, ToolEffect } from '../../src/repl/index.js';
import { callKey, changedFiles, fileStep } from '../../src/repl/index.js';
import type { Io } from '../host/index.js';
import { ownFolders, secretValues } from '../host/index.js';

/** Maximum size of a file to read, in bytes. A call cannot have written a larger file. */
const MOST_READ = 64 * 1024 * 1024;

/** A file, its state when the plan was made, and how going back would affect it. */
interface PlannedFile {
  readonly file: ChangedFile;
  readonly found: FoundFile;
  readonly step: FileStep;
}

/** The files that going back would change, determined in advance. */
export interface FilesPlan {
  /** The session's folder; `undefined` if no files can be restored. */
  readonly folder: string | undefined;
  /** The files that going back would change or leave alone; unchanged files are omitted. */
  readonly planned: readonly PlannedFile[];
  /** Returns the tool effects that the plan does not undo. */
  readonly remaining: (effects: readonly ToolEffect[]) => readonly ToolEffect[];
}

/** The outcome for a file. */
export type FileResult =
  | { readonly path: string; readonly what: 'restored' | 'removed' }
  | { readonly path: string; readonly what: 'left'; readonly step: FileStep & { readonly what: 'left' } }
  | { readonly path: string; readonly what: 'failed'; readonly why: string };

/** The session whose files are restored. */
export interface FilesPlace {
  readonly io: Io;
  readonly sessions: string | undefined;
  readonly store: SessionStore;
  readonly session: Session;
}

/** The plan used if no files can be restored, or if the user does not want them restored. */
export const NO_FILES: FilesPlan = { folder: undefined, planned: [], remaining: (effects) => effects };

/**
 * Finds the files that calls have changed since an event, and determines how going back would affect them.
 * Changes nothing.
 */
export async function planFiles(
  place: FilesPlace,
  events: readonly StoredEvent[],
  { since, overwrite = false }: { readonly since: number; readonly overwrite?: boolean },
): Promise<FilesPlan> {
  const copies = place.store.capabilities.files;
  const workspace = workspaceOf(place);
  if (copies === undefined || workspace === undefined) return NO_FILES;
  const all: PlannedFile[] = [];
  for (const file of changedFiles(events, since)) {
    const { found } = await look(file.path, workspace);
    const step = fileStep(file, found, { overwrite });
    all.push({ file, found, step: await withCopy(step, copies, place.session) });
  }
  const undone = (call: string): boolean =>
    all.every(({ file: { calls }, step }) => !calls.includes(call) || step.what !== 'left');
  const noted = new Set(all.flatMap(({ file: { calls } }) => calls));
  return {
    folder: workspace.cwd,
    planned: all.filter(({ step }) => step.what !== 'same'),
    remaining: (effects) =>
      effects.filter(({ path = '', ref }) => !noted.has(callKey(path, ref)) || !undone(callKey(path, ref))),
  };
}

/**
 * Returns the session's workspace. Files are restored in the session's folder, regardless of the working
 * directory of the command.
 */
function workspaceOf({ io, sessions, session }: FilesPlace): Workspace | undefined {
  const { cwd } = session.state;
  if (cwd === undefined) return undefined;
  return { cwd: realFolder(cwd), home: io.home, ownFolders: ownFolders(io, sessions) };
}

/** Leaves the file alone if its copy is missing. The copy is read again when the file is restored. */
async function withCopy(step: FileStep, copies: FileCopies, { id }: Session): Promise<FileStep> {
  if (step.what !== 'restore' || (await copies.read(id, step.sha256)) !== undefined) return step;
  return { path: step.path, what: 'left', left: { type: 'no-copy' } };
}

/** A file's current state, read with the same path checks as in `write_file`. */
interface Look {
  readonly found: FoundFile;
  readonly place?: Place;
  readonly stats?: Exclude<Awaited<ReturnType<typeof lookAt>>, undefined>;
  readonly bytes?: Uint8Array;
}

async function look(path: string, workspace: Workspace): Promise<Look> {
  const elsewhere = (why: string): Look => ({ found: { type: 'elsewhere', why } });
  try {
    const place = await placeOf(path, workspace);
    if (place.path !== path) return elsewhere('its path contains a link');
    if (!place.inside && place.wide === undefined) return elsewhere('outside the session’s folder');
    if (place.holds !== undefined) return elsewhere(`may contain ${place.holds}`);
    const stats = await lookAt(place);
    if (stats === undefined) return { found: { type: 'absent' }, place };
    if (!stats.isFile()) return elsewhere('not a regular file');
    if (stats.size > MOST_READ) return { found: { type: 'file', sha256: '' }, place, stats };
    const bytes = await readBytes(place, stats);
    return { found: { type: 'file', sha256: sha256(bytes) }, place, stats, bytes };
  } catch (error) {
    if (!isHitlError(error) || error.code !== 'TOOL_FAILED') throw error;
    return elsewhere(messageOf(error));
  }
}

/** Records an event in the session. */
type Append = (event: SessionEvent) => Promise<void>;

interface Bringing {
  readonly copies: FileCopies;
  readonly workspace: Workspace;
  readonly by: Actor;
  readonly append: Append;
}

/**
 * Restores files, recording an event before each change. If the process exits midway, a new plan contains
 * only the remaining files. Files that have changed since the plan was made are left alone.
 * @throws HitlError SAVE_FAILED, USAGE if this store does not keep copies
 */
export async function bringBack(
  place: FilesPlace,
  { planned }: FilesPlan,
  { by, append }: Pick<Bringing, 'by' | 'append'>,
): Promise<readonly FileResult[]> {
  const workspace = workspaceOf(place);
  const copies = place.store.capabilities.files;
  if (workspace === undefined || copies === undefined) throw noCopies(place.session);
  const results: FileResult[] = [];
  for (const one of planned) results.push(await bringOne(place, one, { by, append, copies, workspace }));
  return results;
}

/** Creates the error for a session whose files cannot be restored. */
export function noCopies({ id }: Session): HitlError {
  return new HitlError('USAGE', `session ${id} has no file copies, so no file can be restored`, {
    hint: 'only sessions stored in a folder keep copies; leave out `--files`',
  });
}

async function bringOne(
  { io, session }: FilesPlace,
  { file, found, step }: PlannedFile,
  { by, append, copies, workspace }: Bringing,
): Promise<FileResult> {
  const { path } = file;
  if (step.what === 'left') return { path, what: 'left', step };
  const now = await look(path, workspace);
  const left = leftNow(file, found, now.found);
  if (left !== undefined) return { path, what: 'left', step: left };
  const copy = step.what === 'restore' ? await copies.read(session.id, step.sha256) : undefined;
  if (step.what === 'restore' && copy === undefined)
    return { path, what: 'left', step: { path, what: 'left', left: { type: 'no-copy' } } };
  const { place, stats } = now;
  if (place === undefined || step.what === 'same') return { path, what: 'restored' };
  const isSecret = (bytes: Uint8Array): boolean =>
    file.isHidden || maskText(Buffer.from(bytes).toString(), secretValues(io.env)).count > 0;
  const before = await keptBefore(beforeOf(now), isSecret, (bytes, digest) =>
    copies.keep(session.id, bytes, digest),
  );
  await append({
    type: 'file-noted',
    path,
    before,
    after: step.what === 'restore' ? step.sha256 : null,
    by,
  });
  try {
    if (step.what === 'restore')
      await writeText(place, copy ?? '', {
        mode: step.mode,
        ...present({ folders: step.folders, before: stats }),
      });
    else if (stats !== undefined) await removeFile(place, stats);
  } catch (error) {
    return { path, what: 'failed', why: messageOf(error) };
  }
  return { path, what: step.what === 'restore' ? 'restored' : 'removed' };
}

/**
 * Returns the reason that a planned file cannot be restored after all, or `undefined` if the file has not
 * changed since the plan was made.
 */
function leftNow(
  file: ChangedFile,
  planned: FoundFile,
  now: FoundFile,
): (FileStep & { readonly what: 'left' }) | undefined {
  const { path } = file;
  if (now.type === 'elsewhere') return { path, what: 'left', left: now };
  const isSame =
    planned.type === now.type &&
    (planned.type !== 'file' || now.type !== 'file' || planned.sha256 === now.sha256);
  return isSame ? undefined : { path, what: 'left', left: { type: 'changed' } };
}

/** Returns the content that is about to be replaced, in the form in which calls record it. */
function beforeOf({ found, stats, bytes }: Look): NotedFile['before'] {
  if (found.type !== 'file') return 'absent';
  if (bytes === undefined || bytes.length > MOST_COPIED) return 'large';
  return { bytes, mode: Number(stats?.mode ?? 0) & 0o777 };
}
