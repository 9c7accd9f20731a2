import path from 'node:path';

import type { ToolContext } from '../../core/index.js';
import { isHitlError, messageOf, MOST_COPIED } from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { lookAt, placeOf, readBytes, removeFile, removeFolder, writeText } from '../../files/index.js';
import type { CopyChange, FolderCopy } from '../sandbox/folder-copy.js';
import { changesIn } from '../sandbox/folder-copy.js';

import type { BuiltinOptions } from './builtin-options.js';
import { lineCounts, whyLookedAt } from './file-change.js';

// Invariants:
// H1 A file comes back only where `write_file` and `edit_file` could change it without a question, and only if that can be
//    undone: what it was is kept before it changes.
// H2 A file that is no longer what was copied stays as it is.
// H3 Everything is decided before the first file changes; from then on only a stop, or a file that changes meanwhile, keeps
//    one back, and it is told.

/** A file that was copied back. */
export interface BroughtFile {
  readonly path: string;
  readonly change: 'made' | 'changed' | 'deleted';
  /** Numbers of lines added and removed. Absent if the content is large or not text. */
  readonly added?: number;
  readonly removed?: number;
}

/** A file that was not copied back. */
export interface HeldFile {
  readonly path: string;
  readonly why: string;
}

/** The result of copying changes back from a copy of the folder. */
export interface BroughtHome {
  readonly changed: readonly BroughtFile[];
  readonly heldBack: readonly HeldFile[];
  /** Whether the user stopped the copying before it was complete. */
  readonly isCut: boolean;
}

type Context = Pick<ToolContext, 'noteFile' | 'signal'>;
type Coming = Exclude<CopyChange, { readonly what: 'held' }>;

/** A change that may be copied back. */
interface Planned {
  readonly change: Coming;
  readonly place: Place;
  readonly before: Buffer | undefined;
  /** Permissions of the file's parent folders that the command deleted in the copy, nearest first. */
  readonly folders: readonly number[];
}

/**
 * Copies a command's changes from a copy of the folder back to the folder (H1).
 * @throws HitlError TOOL_FAILED if there are too many changes; nothing is copied back then.
 */
export async function bringHome(
  copy: FolderCopy,
  options: BuiltinOptions,
  context: Context,
): Promise<BroughtHome> {
  const { changes, removed } = await changesIn(copy);
  const heldBack: HeldFile[] = [];
  const planned: Planned[] = [];
  for (const change of changes) {
    if (change.what === 'held') {
      heldBack.push({ path: change.path, why: change.why });
      continue;
    }
    const plan = await planOne(copy, { change, removed }, options);
    if (typeof plan === 'string') heldBack.push({ path: change.path, why: plan });
    else if (plan !== undefined) planned.push(plan);
  }
  const changed: BroughtFile[] = [];
  for (const one of planned) {
    if (context.signal.aborted) return { changed, heldBack, isCut: true };
    const why = await bringOne(one, context);
    if (why === undefined) changed.push(toldOf(one));
    else heldBack.push({ path: one.change.path, why });
  }
  // A folder that had files is made again with them.
  const emptied = removed.filter((folder) =>
    changed.some((one) => one.change === 'deleted' && one.path.startsWith(`${folder}/`)),
  );
  await removeFolders(copy, emptied, options);
  return { changed, heldBack, isCut: false };
}

/**
 * Plans how to copy a change back. Returns the reason that it is not copied back, or `undefined` if there is
 * nothing to do.
 */
async function planOne(
  { root }: FolderCopy,
  { change, removed }: { readonly change: Coming; readonly removed: readonly string[] },
  options: BuiltinOptions,
): Promise<Planned | string | undefined> {
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/u.test(change.path)) return 'its name contains invisible characters';
  const file = path.join(root, change.path);
  try {
    const place = await placeOf(file, options);
    if (place.path !== file) return 'its path contains a link';
    const { why, facts } = whyLookedAt(place, options.starts);
    const asked = why ?? options.copies?.whyNot({ path: change.path, facts });
    if (asked !== undefined) return asked;
    if (change.before === undefined)
      return (await lookAt(place)) === undefined
        ? { change, place, before: undefined, folders: [] }
        : 'something else created it while the command ran';
    if (change.before.size > MOST_COPIED) return 'it is too large to copy, so the change could not be undone';
    const before = await readBytes(place, change.before);
    if (change.what === 'changed' && before.equals(change.bytes))
      return sameRights(change) ? undefined : 'only its permissions changed';
    const folders =
      change.what === 'deleted' ? await rightsAbove(change.path, { root, removed }, options) : [];
    return { change, place, before, folders };
  } catch (error) {
    return whyFailed(error);
  }
}

/** Returns the permissions of a file's parent folders that the command deleted in the copy, nearest first. */
async function rightsAbove(
  name: string,
  { root, removed }: { readonly root: string; readonly removed: readonly string[] },
  options: BuiltinOptions,
): Promise<readonly number[]> {
  const folder = path.dirname(name);
  if (!removed.includes(folder)) return [];
  const found = await lookAt(await placeOf(path.join(root, folder), options));
  if (found === undefined) return [];
  return [Number(found.mode) & 0o777, ...(await rightsAbove(folder, { root, removed }, options))];
}

function sameRights({ before, isProgram }: Coming & { readonly what: 'changed' | 'made' }): boolean {
  return before === undefined || ((Number(before.mode) & 0o111) !== 0) === isProgram;
}

/** Stores the previous version of a file, then changes the file. Returns the reason if either step fails. */
async function bringOne(
  { change, place, before, folders }: Planned,
  { noteFile }: Context,
): Promise<string | undefined> {
  const after = change.what === 'deleted' ? null : change.bytes;
  const rights = change.before === undefined ? 0 : Number(change.before.mode) & 0o777;
  const kept = await noteFile?.({
    path: place.path,
    before:
      before === undefined
        ? 'absent'
        : { bytes: before, mode: rights, ...(folders.length > 0 && { folders }) },
    after,
    undoable: true,
  });
  if (kept !== true) return 'it cannot be copied, so the change could not be undone';
  try {
    if (change.what === 'deleted') await removeFile(place, change.before);
    else
      await writeText(place, change.bytes, {
        ...(change.before !== undefined && { before: change.before }),
        ...(change.isProgram && { mode: 0o755 }),
      });
    return undefined;
  } catch (error) {
    return whyFailed(error);
  }
}

function whyFailed(error: unknown): string {
  if (isHitlError(error) && error.code === 'TOOL_FAILED') return messageOf(error);
  throw error;
}

/** Removes the folders that the command deleted in the copy, if they are empty in the original. */
async function removeFolders(
  { root }: FolderCopy,
  removed: readonly string[],
  options: BuiltinOptions,
): Promise<void> {
  for (const name of removed) {
    const folder = path.join(root, name);
    const place = await placeOf(folder, options).catch(() => undefined);
    if (place?.path === folder && place.inside) await removeFolder(place);
  }
}

function toldOf({ change, before }: Planned): BroughtFile {
  const after = change.what === 'deleted' ? undefined : change.bytes;
  return { path: change.path, change: change.what, ...lineCounts(before, after) };
}
