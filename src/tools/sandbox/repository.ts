import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Place } from './existing.js';
import { existing, realPlace } from './existing.js';

/** Parts of a git repository that can run programs the next time anyone uses the repository. */
const PARTS: readonly string[] = ['hooks', 'config', 'config.worktree', 'modules'];

/**
 * Returns the parts of a folder's git repository that commands must not change: hooks, configuration and
 * submodules, or the `.git` file that specifies an external repository.
 */
export async function repositoryParts(workspace: string): Promise<readonly Place[]> {
  const repository = await realPlace(path.join(workspace, '.git'));
  if (repository === undefined) return [];
  if (repository.isFile) return [repository];
  // An empty folder is no hook; what is not there could be made.
  await mkdir(path.join(repository.path, 'hooks')).catch(() => undefined);
  return existing(PARTS.map((part) => path.join(repository.path, part)));
}

/**
 * Returns the repository of a worktree, which is in another location. The `.git` file of the folder could
 * specify any location, so the repository must refer back to the folder. Source: gitrepository-layout(5),
 * "worktrees".
 */
export async function repositoryOfWorktree(workspace: string): Promise<readonly Place[]> {
  const file = path.join(workspace, '.git');
  const [, named] = /^gitdir: (.+)\n?$/u.exec(await textOf(file)) ?? [];
  const own = named === undefined ? undefined : (await realPlace(path.resolve(workspace, named)))?.path;
  if (own === undefined) return [];
  const back = await realPlace(path.resolve(own, (await textOf(path.join(own, 'gitdir'))).trim()));
  const shared = await realPlace(path.resolve(own, (await textOf(path.join(own, 'commondir'))).trim()));
  const isIts = back?.path === file && shared?.path === path.dirname(path.dirname(own));
  return isIts && path.basename(path.dirname(own)) === 'worktrees' ? [shared] : [];
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => ''); // Not there, or no file.
}
