import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Io } from '../host/index.js';
import { isoTime } from '../../src/core/index.js';
import type { GitPast } from './git-past.js';
import { gitPast } from './git-past.js';

/** A changed file. Without texts, only the fact is known. */
export interface FolderChange {
  /** Relative to the folder. */
  readonly path: string;
  readonly what: 'new' | 'changed' | 'gone';
  readonly texts?: { readonly before: string; readonly after: string };
}

export interface FolderChanges {
  readonly changes: readonly FolderChange[];
  /** False if there is no repository with the earlier content. */
  readonly knowsPast: boolean;
  /** Whether there are more files than were looked at. */
  readonly isCut: boolean;
}

const MOST_FILES = 20_000;
const MOST_CHANGES = 500;
const MOST_BYTES = 1024 * 1024;
/** Folders of tools; without a repository, they are assumed not to be work. */
const SKIPPED = ['.git', 'node_modules'];

/**
 * Finds changes in a folder since a time: files written since, compared with the commit of that time.
 * Includes an older uncommitted change if the file changed again.
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

/** The files of a folder without a repository, by path from it. */
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
