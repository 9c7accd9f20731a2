import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { foldName } from './name-table.js';
import { sensitiveNames } from './sensitive-names.js';

/** Tells what a file holds as a rule, where that is nothing to be read without asking. */
export interface Holdings {
  of(file: string): string | undefined;
  /** As `of`, for what only the part below a folder tells. */
  below(folder: string, file: string): string | undefined;
}

/** The table of sensitive names, and the folders where the program keeps what is its own. */
export async function holdingsOf(ownFolders: readonly string[] = []): Promise<Holdings> {
  const own = (await Promise.all(ownFolders.map(orItself))).map(foldName);
  const ownOf = (file: string): string | undefined =>
    own.some((folder) => isBelow(foldName(file), folder))
      ? 'sessions, settings and keys of hitl itself'
      : undefined;
  return {
    of: (file) => ownOf(file) ?? sensitiveNames.find(file),
    below: (folder, file) =>
      (ownOf(folder) === undefined ? ownOf(file) : undefined) ?? sensitiveNames.findBelow(folder, file),
  };
}

/** True for a folder and everything below it. */
export function isBelow(target: string, folder: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Finds where a folder leads; one that is not there yet has no links. */
export async function orItself(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}
