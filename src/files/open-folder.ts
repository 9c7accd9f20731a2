import path from 'node:path';

import { errnoOf } from '../core/index.js';

import type { Anchor } from './anchor.js';
import { descriptorRoot } from './descriptor-anchor.js';
import { Folder } from './folder.js';
import { identityRoot } from './identity-anchor.js';

/** Opens the file system's root. */
export type OpenRoot = (root: string) => Promise<Anchor>;

export interface FolderOptions {
  /** Creates missing folders on the path, with these permissions, the last one first. Default: none is made. */
  readonly make?: readonly number[];
  /** Default: by descriptors if the system has paths for them, else by comparison. */
  readonly openRoot?: OpenRoot;
}

/**
 * Opens the folder at an absolute, link-free path, step by step from the root: a link on the path was put
 * there in the meantime. Throws Node's errors, and `EMOVED` for such a link.
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

/** Opens a folder while it is used; see `openFolder`. */
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
