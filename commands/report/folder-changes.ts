import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Io } from '../host/index.js';
import { isoTime } from '../../src/core/index.js';
import type { GitPast } from './git-past.js';
import { gitPast } from './git-past.js';

/** A changed file. If `texts` is absent, all that is known is that the file changed. */
export interface FolderChange {
  /** Path relative to the folder. */
  readonly path: string;
  readonly what: 'new' | 'changed' | 'gone';
  readonly texts?: { readonly before: string; readonly after: string };
}

export interface FolderChanges {
  readonly changes: readonly FolderChange[];
  /** Whether a repository contains the earlier content. */
  readonly knowsPast: boolean;
  /** Whether the result is incomplete because a limit on files or changes was reached. */
  readonly isCut: boolean;
}

const MOST_FILES = 20_000;
const MOST_CHANGES = 500;
const MOST_BYTES = 1024 * 1024;
/** Folders to skip if there is no repository, because tools create them. */
const SKIPPED = ['.git', 'node_modules'];

/**
 * Finds the changes in a folder since a given time by comparing files written since then with the last commit
 * before that time. If a file had uncommitted changes at that time, they are included.
 */
export async function folderChanges(
  { cwd, home, env }: Pick<Io, 'cwd' | 'home' | 'env'>,
  sinceMs: number,
  signal: AbortSignal,
): Promise<FolderChanges> {
  const past = await gitPast({ cwd, home, env }, isoTime(sinceMs), signal);
  const present = past?.present ?? (await walk(cwd, signal));
  const looked = present.slice(0, MOST_FILES);
  const changes: FolderChange[] = [];
  for (const path of looked) {
    if (changes.length >= MOST_CHANGES) break;
    signal.throwIfAborted();
    const change = await changeOf(join(cwd, path), { path, sinceMs, past }, signal);
    if (change !== undefined) changes.push(change);
  }
  const known = new Set(present);
  for (const path of past?.files.keys() ?? []) if (!known.has(path)) changes.push({ path, what: 'gone' });
  return {
    changes: changes.sort((left, right) => (left.path < right.path ? -1 : 1)),
    knowsPast: past !== undefined,
    isCut: looked.length < present.length || changes.length >= MOST_CHANGES,
  };
}

interface Wanted {
  readonly path: string;
  readonly sinceMs: number;
  readonly past: GitPast | undefined;
}

async function changeOf(
  file: string,
  { path, sinceMs, past }: Wanted,
  signal: AbortSignal,
): Promise<FolderChange | undefined> {
  const found = await lstat(file).catch(() => undefined); // gone, or not for this user
  const before = past?.files.get(path);
  if (found === undefined) return before === undefined ? undefined : { path, what: 'gone' };
  if (Math.max(found.mtimeMs, found.ctimeMs) < sinceMs) return undefined;
  const what = before === undefined && past !== undefined ? 'new' : 'changed';
  if (!found.isFile() || found.size > MOST_BYTES || past === undefined) return { path, what };
  const after = await readFile(file, 'utf8').catch(() => undefined);
  const former = before === undefined ? '' : await past.read(before, signal);
  if (after === undefined || after.includes('\0') || former.includes('\0')) return { path, what };
  return before !== undefined && after === former
    ? undefined
    : { path, what, texts: { before: former, after } };
}

/** Returns the files in a folder without a repository, as paths relative to the folder. */
async function walk(cwd: string, signal: AbortSignal): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [''];
  for (const folder of folders) {
    signal.throwIfAborted();
    if (files.length > MOST_FILES) break;
    for (const entry of await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.includes(entry.name)) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  }
  return files;
}
