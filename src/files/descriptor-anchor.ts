import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, stat } from 'node:fs/promises';

import { errnoOf } from '../core/index.js';

import type { Anchor } from './anchor.js';
import { isSame, moved } from './anchor.js';

/**
 * Linux flag for opening a folder that may be entered but not read; Node does not define a constant for it.
 */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens the root of the file system as a descriptor. Each step opens a single name below a descriptor, so
 * nothing can change between check and use. Returns `undefined` if the system has no paths for descriptors,
 * which is the case without `/proc` and on any system other than Linux.
 */
export async function descriptorRoot(): Promise<Anchor | undefined> {
  if (process.platform !== 'linux') return undefined;
  const root = new DescriptorAnchor(await open('/', FOLDER));
  if (await root.works()) return root;
  await root.close();
  return undefined;
}

class DescriptorAnchor implements Anchor {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  get self(): string {
    return this.at('.');
  }

  at(name: string): string {
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }

  async works(): Promise<boolean> {
    try {
      const [behind, own] = await Promise.all([
        stat(this.self, { bigint: true }),
        this.#handle.stat({ bigint: true }),
      ]);
      return isSame(behind, own);
    } catch {
      return false; // No `/proc`, or one that does not show our descriptors.
    }
  }

  async child(name: string): Promise<Anchor> {
    try {
      return new DescriptorAnchor(await open(this.at(name), FOLDER));
    } catch (error) {
      if (errnoOf(error) === 'ENOTDIR' && (await this.#isLink(name))) throw moved(name);
      throw error;
    }
  }

  async #isLink(name: string): Promise<boolean> {
    return lstat(this.at(name)).then(
      (found) => found.isSymbolicLink(),
      () => false, // Gone: then the first error is the one to tell.
    );
  }

  async verify(): Promise<void> {
    // A descriptor stays what it is.
  }

  async confirm(): Promise<void> {
    // Opened below a descriptor, without following: it is the entry.
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
