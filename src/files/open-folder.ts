import path from 'node:path';

import { errnoOf } from '../core/index.js';

import type { Anchor } from './anchor.js';
import { descriptorRoot } from './descriptor-anchor.js';
import { Folder } from './folder.js';
import { identityRoot } from './identity-anchor.js';

/** Opens the root of the file system. */
export type OpenRoot = (root: string) => Promise<Anchor>;

export interface FolderOptions {
  /**
   * Permissions for missing folders on the path, innermost first; these folders are created. Default: creates
   * none.
   */
  readonly make?: readonly number[];
  /**
   * Default: uses folder descriptors if the system has paths for them; otherwise compares each folder before
   * and after use.
   */
  readonly openRoot?: OpenRoot;
}

/**
 * Opens the folder at an absolute path without links, step by step from the root. Any link found on the way
 * must have been added since the path was resolved. Throws Node's errors, and `EMOVED` for such a link.
 */
export async function openFolder(
  at: string,
  { make, openRoot = bestRoot }: FolderOptions = {},
): Promise<Folder> {
  const { root } = path.parse(at);
  let folder = new Folder(root, await openRoot(root));
  const names = at
    .slice(root.length)
    .split(path.sep)
    .filter((name) => name !== '');
  for (const [index, name] of names.entries()) {
    const outer = folder;
    try {
      folder = await step(outer, name, make && { rights: make[names.length - 1 - index] });
    } finally {
      await outer.close();
    }
  }
  return folder;
}

/** Opens a folder for the duration of `use`; see `openFolder`. */
export async function withFolder<Result>(
  at: string,
  use: (folder: Folder) => Promise<Result>,
  options: FolderOptions = {},
): Promise<Result> {
  const folder = await openFolder(at, options);
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

async function bestRoot(root: string): Promise<Anchor> {
  return (await descriptorRoot()) ?? (await identityRoot(root));
}

async function step(
  folder: Folder,
  name: string,
  make: { readonly rights: number | undefined } | undefined,
): Promise<Folder> {
  try {
    return await folder.folder(name);
  } catch (error) {
    if (make === undefined || errnoOf(error) !== 'ENOENT') throw error;
  }
  const isMade = await folder.makeFolder(name);
  const made = await folder.folder(name);
  if (!isMade || make.rights === undefined) return made;
  try {
    await made.setRights(make.rights);
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}
