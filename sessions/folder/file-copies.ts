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

/** Names of files that contain a file copy. Each name includes the SHA-256 of the content. */
const COPY = /^file-[0-9a-f]{64}\.copy$/;
/** Maximum total size of the file copies in a session, in bytes. */
const MOST_BYTES = 100 * 1024 * 1024;

/** Whether a file name is that of a file copy. */
export function isFileCopy(name: string): boolean {
  return COPY.test(name);
}

/**
 * Stores the previous content of a file in the session's folder. The copy is durable when the promise
 * resolves. If a complete copy with this digest exists, it is not written again. Returns false if there is
 * not enough room.
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
    throw saveFailed(`a file copy for session ${id}`, error);
  }
}

/**
 * Returns a file copy; `undefined` if it is missing or unreadable, or if its content does not match the
 * digest in its name.
 */
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
