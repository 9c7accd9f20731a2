import { lstat, mkdir, rm } from 'node:fs/promises';
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

/** Files that decide what runs later, and cannot be kept from being made where they were not there. */
const NEW: readonly string[] = [
  '.git',
  '.git/config',
  'hitl.config.json',
  'hitl.config.ts',
  'hitl.config.local.json',
];
/** Tells git to take its configuration and hooks from elsewhere; no main working tree has one. */
const ELSEWHERE = '.git/commondir';

/**
 * Remembers what a working directory has, and gives what tells of the changes that a command made in spite of its
 * sandbox, once all of it has ended.
 */
export async function watchFolder(workspace: string): Promise<() => Promise<readonly string[]>> {
  const before = await Promise.all([...NEW, ELSEWHERE].map((name) => identity(path.join(workspace, name))));
  return async () => {
    const notes: string[] = [];
    for (const [index, name] of NEW.entries()) {
      if ((await identity(path.join(workspace, name))) === before[index]) continue;
      notes.push(`\`${name}\` was made or replaced; look at it before you use it`);
    }
    const elsewhere = path.join(workspace, ELSEWHERE);
    if (before[NEW.length] === undefined && (await identity(elsewhere)) !== undefined) {
      await rm(elsewhere, { recursive: true, force: true });
      notes.push(
        `\`${ELSEWHERE}\` was made and is removed: it would lead git to the hooks of another folder`,
      );
    }
    return notes;
  };
}

async function identity(file: string): Promise<string | undefined> {
  try {
    const at = await lstat(file);
    // The number of a file that is gone is given to the next one; a folder changes with what is in it.
    return `${at.dev}:${at.ino}:${at.mode}:${at.isDirectory() ? '' : at.ctimeMs}`;
  } catch {
    return undefined; // Not there.
  }
}
