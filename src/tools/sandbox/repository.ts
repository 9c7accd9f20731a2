import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Place } from './existing.js';
import { existing, realPlace } from './existing.js';

/** Of a repository: what runs programs the next time that anybody uses it. */
const PARTS: readonly string[] = ['hooks', 'config', 'config.worktree', 'modules'];

/**
 * Lists what commands must not change of the repository in a folder: its hooks, its configuration, and where it is
 * elsewhere.
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
 * The repository of a worktree, which is elsewhere. The file `.git` came with the folder and may name anything: the
 * repository counts only where it names the folder, too.
 * Source: gitrepository-layout(5), "worktrees".
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
