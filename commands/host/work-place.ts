import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Io } from './io.js';

/** Git's pointer files have one line. */
const MOST_CHARACTERS = 4096;

/** Formats the working location: the folder, with `~` for the home, and the git branch. */
export function workPlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  return `${folderWords(cwd, home)}${branchWords(cwd)}`;
}

/** The same with the name of the folder alone. */
export function shortPlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  return `${basename(folderWords(cwd, home)) || cwd}${branchWords(cwd)}`;
}

function branchWords(cwd: string): string {
  const branch = branchOf(cwd);
  return branch === undefined ? '' : ` (${branch})`;
}

/** A folder in a line, with `~` for the home. */
export function folderWords(cwd: string, home: string): string {
  if (cwd === home) return '~';
  return home !== sep && cwd.startsWith(home + sep) ? `~${cwd.slice(home.length)}` : cwd;
}

/** The branch that is checked out, or the first letters of the commit; read from files, for no program is started. */
function branchOf(cwd: string): string | undefined {
  const folder = gitFolder(cwd);
  const head = folder === undefined ? undefined : textOf(join(folder, 'HEAD'));
  if (head === undefined) return undefined;
  const branch = /^ref: refs\/heads\/(\S+)$/u.exec(head)?.[1];
  return branch ?? /^[0-9a-f]{7}/u.exec(head)?.[0];
}

/** Returns the nearest `.git`; in a worktree it is a file that points elsewhere. */
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
