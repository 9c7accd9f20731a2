import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isBelow } from '../files/index.js';

/** The session's working folder and the user's home folder. */
export interface WorkPlace {
  /** The working folder. */
  readonly cwd: string;
  readonly home: string;
}

/** Folders in which operating systems install programs. */
const SYSTEM_FOLDERS: readonly string[] = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/run/current-system/sw/bin',
];

/** Search path for system programs. */
export const SYSTEM_PATH = SYSTEM_FOLDERS.join(path.delimiter);

/** Maximum number of folders to search upward for a repository's root. */
const MOST_LEVELS = 64;

/**
 * Returns the folder whose content must not determine which programs start: the repository that contains the
 * working folder, or the working folder itself if there is none. `undefined` if the working folder contains
 * the user's home folder, because protecting it would be pointless.
 */
export function guardedFolder({ cwd, home }: WorkPlace): string | undefined {
  const [from, person] = [real(cwd), real(home)];
  if (isBelow(person, from)) return undefined;
  let folder = from;
  for (let level = 0; level < MOST_LEVELS && !isBelow(person, folder); level += 1) {
    if (isThere(path.join(folder, '.git'))) return folder;
    const parent = path.dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return from;
}

/** Whether a file is in a folder, directly or after symbolic links are resolved. */
export function liesIn(file: string, folder: string | undefined): boolean {
  return folder !== undefined && (isBelow(file, folder) || isBelow(real(file), folder));
}

/**
 * Returns the folder in which the user's programs start: the home folder, or the file system root if the home
 * folder cannot be used, for example because it is inside the session's folder.
 */
export function neutralFolder(place: WorkPlace): string {
  const guarded = guardedFolder(place);
  const home = real(place.home);
  const isHere = home === real(place.cwd);
  return isHere || !path.isAbsolute(place.home) || liesIn(home, guarded) || !isFolder(home)
    ? path.parse(home).root
    : home;
}

/**
 * Returns the search path without the folders that must not be used to find programs: relative ones, those in
 * the session's folder, and those that npm adds for a project (`node_modules/.bin`).
 */
export function searchPath(given: string | undefined, guarded: string | undefined): string {
  const kept = (given ?? '')
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry) && !entry.replace(/\/+$/u, '').endsWith('node_modules/.bin'))
    .filter((entry) => !liesIn(entry, guarded));
  return kept.length === 0 ? SYSTEM_PATH : kept.join(path.delimiter); // an empty one would mean the folder it stands in
}

/** Finds a program by name; `undefined` if it is not found. */
export function findInPath(name: string, folders: string): string | undefined {
  return folders
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find(isProgram);
}

/** Whether the path is an executable file. */
function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}

/** Environment variables in which shells and npm reveal the session's folder. */
const LEADS_BACK = /^(?:PWD|OLDPWD|INIT_CWD|npm_.*)$/iu;

/** The environment variable that passes the working folder to programs started by hitl. */
export const FOLDER_VARIABLE = 'HITL_FOLDER';

/**
 * Returns the environment for a program. It reveals the session's folder only in `HITL_FOLDER`, and its
 * search path excludes that folder.
 */
export function ownEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  place: WorkPlace,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || LEADS_BACK.test(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(kept),
    PATH: searchPath(env['PATH'], guardedFolder(place)),
    [FOLDER_VARIABLE]: place.cwd,
  };
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder that cannot be entered has nothing for us
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false; // not there
  }
}

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file); // not there: its name is all that there is
  }
}
