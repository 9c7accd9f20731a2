import type { BigIntStats, Dirent } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { chmod, lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';

import { errnoOf } from '../core/index.js';

import type { Anchor } from './anchor.js';
import { withCode } from './anchor.js';

// Invariants:
// P1 What is opened, made, renamed or removed is an entry of this very folder, whatever is done to its path meanwhile.
// P2 No link is followed. A path that leads through one is resolved before, and shown as it was resolved.

/**
 * An open folder. It must be closed after use. Names are single path segments. Methods throw Node's errors.
 */
export class Folder {
  /** The folder's path when it was opened, for display. */
  readonly path: string;
  readonly #anchor: Anchor;

  constructor(at: string, anchor: Anchor) {
    this.path = at;
    this.#anchor = anchor;
  }

  /** The folder's file descriptor; `undefined` if the system has no paths for descriptors. */
  get descriptor(): number | undefined {
    return this.#anchor.descriptor;
  }

  /** Opens a subfolder. */
  async folder(name: string): Promise<Folder> {
    return new Folder(path.join(this.path, name), await this.#anchor.child(single(name)));
  }

  /** Creates a subfolder unless it exists; returns whether it was created. */
  async makeFolder(name: string): Promise<boolean> {
    await this.#anchor.verify();
    const isMade = await mkdir(this.#anchor.at(single(name))).then(
      () => true,
      (error: unknown) => {
        if (errnoOf(error) !== 'EEXIST') throw error;
        return false;
      },
    );
    await this.#anchor.verify();
    return isMade;
  }

  /** Sets its permissions. */
  async setRights(rights: number): Promise<void> {
    await this.#anchor.verify();
    await chmod(this.#anchor.self, rights);
    await this.#anchor.verify();
  }

  /** Opens a file. Does not block on a pipe that nothing has open at the other end. */
  async open(name: string, flags: number, mode?: number): Promise<FileHandle> {
    await this.#anchor.verify();
    const at = this.#anchor.at(single(name));
    const handle = await open(at, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
    try {
      await this.#anchor.confirm(name, handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Returns an entry's stats without following links. */
  async look(name: string): Promise<BigIntStats> {
    await this.#anchor.verify();
    const found = await lstat(this.#anchor.at(single(name)), { bigint: true });
    await this.#anchor.verify();
    return found;
  }

  async entries(): Promise<readonly Dirent[]> {
    await this.#anchor.verify();
    const found = await readdir(this.#anchor.self, { withFileTypes: true });
    await this.#anchor.verify();
    return found;
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#anchor.verify();
    await rename(this.#anchor.at(single(from)), this.#anchor.at(single(to)));
    await this.#anchor.verify();
  }

  /** Deletes a file. */
  async remove(name: string): Promise<void> {
    await this.#anchor.verify();
    await unlink(this.#anchor.at(single(name)));
    await this.#anchor.verify();
  }

  /** Deletes an empty folder. */
  async removeFolder(name: string): Promise<void> {
    await this.#anchor.verify();
    await rmdir(this.#anchor.at(single(name)));
    await this.#anchor.verify();
  }

  /**
   * Deletes a file that was created in this folder and is still open, or empties it if its name now belongs
   * to another file.
   */
  async discard(name: string, handle: FileHandle): Promise<void> {
    try {
      await this.#anchor.confirm(name, handle);
      await unlink(this.#anchor.at(single(name)));
    } catch {
      await handle.truncate(0).catch(() => undefined); // The error that led here is the one to tell.
    }
  }

  /** Flushes the folder's entries to disk, if the folder is readable. */
  async sync(): Promise<void> {
    const handle = await open(this.#anchor.self, constants.O_RDONLY).catch((error: unknown) => {
      if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM') return undefined;
      throw error;
    });
    if (handle === undefined) return;
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await this.#anchor.close();
  }
}

/** Rejects a name that is not a single path segment, such as a name with a separator (P1). */
function single(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes(path.sep))
    throw withCode('EINVAL', `${name} is not a valid entry name`);
  return name;
}
