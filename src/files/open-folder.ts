import path from 'node:path';

import { errnoOf } from '../core/index.js';

import type { Anchor } from './anchor.js';
import { descriptorRoot } from './descriptor-anchor.js';
import { Folder } from './folder.js';
import { identityRoot } from './identity-anchor.js';

/** Opens the file system's root. */
export type OpenRoot = (root: string) => Promise<Anchor>;

export interface FolderOptions {
  /** Creates missing folders on the path. Default: false. */
  readonly make?: boolean;
  /** Default: by descriptors if the system has paths for them, else by comparison. */
  readonly openRoot?: OpenRoot;
}

/**
 * Opens the folder at an absolute, link-free path, step by step from the root: a link on the path was put
 * there in the meantime. Throws Node's errors, and `EMOVED` for such a link.
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

async function step(folder: Folder, name: string, make: boolean): Promise<Folder> {
  try {
    return await folder.folder(name);
  } catch (error) {
    if (!make || errnoOf(error) !== 'ENOENT') throw error;
  }
  await folder.makeFolder(name);
  return folder.folder(name);
}
