import { createHash } from 'node:crypto';
import path from 'node:path';

import type { SessionId } from '../../src/core/index.js';
import type { FileSystem } from '../disk/file-system.js';
import { checkFolder, openSafely } from '../disk/safe-open.js';
import { OPEN } from '../disk/file-system.js';
import { saveFailed } from '../disk/errno.js';
import { writeFileAtomically } from '../disk/atomic-write.js';
import { sessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

/** Names of files that contain a stored tool output. Each name includes the SHA-256 of the content. */
const KEPT = /^output-[0-9a-f]{64}\.json$/;

/** Whether a file name is that of a stored tool output. */
export function isKeptOutput(name: string): boolean {
  return KEPT.test(name);
}

/**
 * Stores an output that is too large for the journal in the session's folder (G8). The file is durable when
 * the promise resolves.
 * @returns the file's name.
 * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
 */
export async function keepOutput(
  context: StoreContext,
  id: SessionId,
  text: string,
  sha256: string,
): Promise<string> {
  const { fs, root, random } = context;
  const folder = sessionFolder(root, id);
  const name = `output-${sha256}.json`;
  checkFolder(fs, folder.path, []);
  try {
    await writeFileAtomically(fs, path.join(folder.path, name), [Buffer.from(text)], random);
  } catch (error) {
    throw saveFailed(`an output for session ${id}`, error);
  }
  return name;
}

/** Returns the path of a file in a session's folder. */
export function fileBeside({ root }: StoreContext, id: SessionId, name: string): string {
  return path.join(sessionFolder(root, id).path, path.basename(name));
}

/** Returns the SHA-256 of the current content of a stored output; `undefined` if it cannot be read. */
export function digestOfOutput(context: StoreContext, id: SessionId, name: string): string | undefined {
  if (!isKeptOutput(name)) return undefined;
  const { fs } = context;
  try {
    const fd = openSafely(fs, fileBeside(context, id, name), OPEN.read, []);
    try {
      return digestOfFile(fs, fd);
    } finally {
      fs.close(fd);
    }
  } catch {
    return undefined; // the caller says so
  }
}

function digestOfFile(fs: FileSystem, fd: number): string {
  const content = createHash('sha256');
  const buffer = Buffer.allocUnsafe(1 << 16);
  for (let at = 0; ;) {
    const count = fs.read(fd, buffer, at);
    if (count === 0) return content.digest('hex');
    content.update(buffer.subarray(0, count));
    at += count;
  }
}
