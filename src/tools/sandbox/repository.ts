import { mkdir } from 'node:fs/promises';
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
