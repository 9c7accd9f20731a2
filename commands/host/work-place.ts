import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Io } from './io.js';

/** Maximum number of characters to read from a `.git` file, which normally contains one line. */
const MOST_CHARACTERS = 4096;

/** Formats the working directory, with `~` for the home folder, and the git branch. */
export function workPlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  return `${folderWords(cwd, home)}${branchWords(cwd)}`;
}

/** Formats the working directory and the git branch, with only the name of the folder. */
export function shortPlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  return `${basename(folderWords(cwd, home)) || cwd}${branchWords(cwd)}`;
}

function branchWords(cwd: string): string {
  const branch = branchOf(cwd);
  return branch === undefined ? '' : ` (${branch})`;
}

/** Formats the path of a folder on one line, with `~` for the home folder. */
export function folderWords(cwd: string, home: string): string {
  if (cwd === home) return '~';
  return home !== sep && cwd.startsWith(home + sep) ? `~${cwd.slice(home.length)}` : cwd;
}

/** Returns the current branch, or the start of the commit hash. Reads git's files instead of running git. */
function branchOf(cwd: string): string | undefined {
  const folder = gitFolder(cwd);
  const head = folder === undefined ? undefined : textOf(join(folder, 'HEAD'));
  if (head === undefined) return undefined;
  const branch = /^ref: refs\/heads\/(\S+)$/u.exec(head)?.[1];
  return branch ?? /^[0-9a-f]{7}/u.exec(head)?.[0];
}

/** Returns the nearest git folder. In a worktree, `.git` is a file that contains the path of the folder. */
function gitFolder(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const place = join(folder, '.git');
    const found = statSync(place, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return place;
    const target = found?.isFile() === true ? /^gitdir: (.+)$/u.exec(textOf(place) ?? '')?.[1] : undefined;
    if (target !== undefined) return resolve(folder, target);
    if (dirname(folder) === folder) return undefined;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').slice(0, MOST_CHARACTERS).trim();
  } catch {
    return undefined; // no repository, or not for this user: the line does without a branch
  }
}
