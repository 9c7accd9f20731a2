import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { SessionId } from '../../src/core/index.js';
import { sha256 } from '../../src/core/index.js';
import { writeFileAtomically } from '../disk/atomic-write.js';
import { saveFailed } from '../disk/errno.js';
import { OPEN } from '../disk/file-system.js';
import { checkFolder, openSafely } from '../disk/safe-open.js';
import { sessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

/** File names of copies of files, by their SHA-256. */
const COPY = /^file-[0-9a-f]{64}\.copy$/;
/** Bytes that all copies of a session may take. */
const MOST_BYTES = 100 * 1024 * 1024;

/** Whether a file name is that of a copy of a file. */
export function isFileCopy(name: string): boolean {
  return COPY.test(name);
}

/**
 * Stores what a file was in the session's folder, durable when it resolves. A whole copy with this digest is not written
 * again; false if there is no room.
 * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
 */
export async function keepFileCopy(
  context: StoreContext,
  id: SessionId,
  bytes: Uint8Array,
  digest: string,
): Promise<boolean> {
  const { fs, root, random } = context;
  const folder = sessionFolder(root, id);
  checkFolder(fs, folder.path, []);
  if (fileCopy(context, id, digest) !== undefined) return true;
  try {
    const sizes = fs
      .entries(folder.path)
      .filter(isFileCopy)
      .map((name) => fs.lookUp(path.join(folder.path, name))?.size ?? 0);
    if (sizes.reduce((sum, size) => sum + size, bytes.length) > MOST_BYTES) return false;
    await writeFileAtomically(fs, path.join(folder.path, nameOf(digest)), [bytes], random);
    return true;
  } catch (error) {
    throw saveFailed(`a copy of a file for session ${id}`, error);
  }
}

/** Returns a copy; `undefined` if it is missing or unreadable, or its content has another digest than its name. */
export function fileCopy({ fs, root }: StoreContext, id: SessionId, digest: string): Uint8Array | undefined {
  const name = nameOf(digest);
  if (!isFileCopy(name)) return undefined; // a digest of a forged event may be any text
  try {
    const fd = openSafely(fs, path.join(sessionFolder(root, id).path, name), OPEN.read, []);
    try {
      if (fs.factsOf(fd).size > MOST_BYTES) return undefined;
      const bytes = readFileSync(fd);
      return sha256(bytes) === digest ? bytes : undefined;
    } finally {
      fs.close(fd);
    }
  } catch {
    return undefined; // the caller says so
  }
}

const nameOf = (digest: string): string => `file-${digest}.copy`;
