import path from 'node:path';

import { errnoOf } from '../core/index.js';

import type { Anchor } from './anchor.js';
import { descriptorRoot } from './descriptor-anchor.js';
import { Folder } from './folder.js';
import { identityRoot } from './identity-anchor.js';

/** Opens the root of the file system, where a walk begins. */
export type OpenRoot = (root: string) => Promise<Anchor>;

export interface FolderOptions {
  /** Makes the folders on the way that are missing. Default false. */
  readonly make?: boolean;
  /** Default: by descriptors where the system has paths for them, else by comparing. */
  readonly openRoot?: OpenRoot;
}

/**
 * Opens the folder at an absolute path in which all links are resolved, step by step from the root: where a link
 * stands on the way, somebody put it there since. Throws Node's errors, and `EMOVED` for such a link.
 */
export async function openFolder(
  at: string,
  { make = false, openRoot = bestRoot }: FolderOptions = {},
): Promise<Folder> {
  const { root } = path.parse(at);
  let folder = new Folder(root, await openRoot(root));
  for (const name of at.slice(root.length).split(path.sep)) {
    if (name === '') continue;
    const outer = folder;
    try {
      folder = await step(outer, name, make);
    } finally {
      await outer.close();
    }
  }
  return folder;
}

/** Opens a folder for as long as it is used; see `openFolder`. */
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

async function step(folder: Folder, name: string, make: boolean): Promise<Folder> {
  try {
    return await folder.folder(name);
  } catch (error) {
    if (!make || errnoOf(error) !== 'ENOENT') throw error;
  }
  await folder.makeFolder(name);
  return folder.folder(name);
}
