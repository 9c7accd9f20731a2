import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { errnoOf, HitlError } from '../core/index.js';

import { isUnchanged, withCode } from './anchor.js';
import { fileProblem } from './file-problem.js';
import type { Folder } from './folder.js';
import type { OpenRoot } from './open-folder.js';
import { withFolder } from './open-folder.js';
import type { Place } from './place.js';

/**
 * Permissions that a rewritten file can keep. Excludes setuid and setgid, which were granted for different
 * content.
 */
const RIGHTS = 0o777;

export interface WriteOptions {
  /**
   * The file as it was when the change was shown; absent if it did not exist. A file that has changed since
   * then is not overwritten.
   */
  readonly before?: BigIntStats;
  /** Permissions of a new file. Default: the system default. */
  readonly mode?: number;
  /** Permissions of created folders, the innermost first. Default: the system default. */
  readonly folders?: readonly number[];
  readonly openRoot?: OpenRoot;
}

/**
 * Replaces a file atomically, and creates missing folders on the path. Keeps permissions, except setuid and
 * setgid, and keeps the owner if possible.
 * @throws HitlError TOOL_FAILED if the file cannot be written or has changed, or if its path no longer leads
 * to the location that was checked.
 */
export async function writeText(
  place: Place,
  content: string | Uint8Array,
  { before, mode, folders = [], openRoot }: WriteOptions = {},
): Promise<void> {
  try {
    const name = path.basename(place.path);
    const write = async (folder: Folder): Promise<void> => {
      await checkUnchanged(folder, name, before);
      await replace(folder, name, content, { before, mode });
      await folder.sync();
    };
    const made = folders.map((rights) => rights & RIGHTS);
    const options = { ...(before === undefined && { make: made }), ...(openRoot && { openRoot }) };
    await withFolder(path.dirname(place.path), write, options);
  } catch (error) {
    throw fileProblem(error, place.label);
  }
}

/**
 * Removes a file. Its folder is kept, even if it is now empty.
 * @throws HitlError TOOL_FAILED if the file cannot be removed or has changed, or if its path no longer leads
 * to the location that was checked.
 */
export async function removeFile(place: Place, before: BigIntStats): Promise<void> {
  try {
    await withFolder(path.dirname(place.path), async (folder) => {
      const name = path.basename(place.path);
      await checkUnchanged(folder, name, before);
      await folder.remove(name);
      await folder.sync();
    });
  } catch (error) {
    throw fileProblem(error, place.label);
  }
}

/** Removes a folder if it is empty; does nothing if it cannot be removed. */
export async function removeFolder(place: Place): Promise<void> {
  await withFolder(path.dirname(place.path), async (folder) => {
    await folder.removeFolder(path.basename(place.path));
    await folder.sync();
  }).catch(() => undefined);
}

/** Returns a path's current stats without following links; `undefined` if it does not exist. */
export async function lookAt(place: Place): Promise<BigIntStats | undefined> {
  try {
    const name = path.basename(place.path);
    if (name === '') throw new HitlError('TOOL_FAILED', `${place.label} is a folder`);
    return await withFolder(path.dirname(place.path), async (folder) => folder.look(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw fileProblem(error, place.label);
  }
}

async function replace(
  folder: Folder,
  name: string,
  content: string | Uint8Array,
  { before, mode }: { readonly before: BigIntStats | undefined; readonly mode: number | undefined },
): Promise<void> {
  // Made exclusively and under a name that nobody can foresee (G32).
  const temporary = `.${name.slice(0, 40)}.${randomUUID()}.tmp`;
  const handle = await folder.open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    0o666,
  );
  try {
    if (before !== undefined) await keepRights(handle, before);
    else if (mode !== undefined) await handle.chmod(mode & RIGHTS);
    await handle.writeFile(content, 'utf8');
    await handle.sync();
    await checkUnchanged(folder, name, before);
    await folder.rename(temporary, name);
  } catch (error) {
    await folder.discard(temporary, handle);
    throw error;
  } finally {
    await handle.close();
  }
}

async function checkUnchanged(folder: Folder, name: string, before: BigIntStats | undefined): Promise<void> {
  const now = await folder.look(name).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (now?.isSymbolicLink() === true) throw withCode('EMOVED', `${name} is a link now`);
  if (now?.isDirectory() === true) throw withCode('EISDIR', `${name} is a folder`);
  if (now !== undefined && !now.isFile()) throw withCode('ENXIO', `${name} is not a regular file`);
  if (!isUnchanged(before, now)) throw withCode('ECHANGED', `${name} changed`);
}

/**
 * Keeps a file's permissions. If its group cannot be kept, the group gets the same permissions as all other
 * users.
 */
async function keepRights(handle: FileHandle, before: BigIntStats): Promise<void> {
  const rights = Number(before.mode) & RIGHTS;
  const [uid, gid] = [Number(before.uid), Number(before.gid)];
  const own = await handle.stat();
  const kept =
    (own.uid === uid && own.gid === gid) ||
    (await isAllowed(handle.chown(uid, gid))) ||
    (await isAllowed(handle.chown(own.uid, gid)));
  await handle.chmod(kept ? rights : (rights & 0o707) | ((rights & 0o007) << 3));
}

async function isAllowed(change: Promise<void>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EPERM' || errnoOf(error) === 'EINVAL') return false;
    throw error;
  }
}
