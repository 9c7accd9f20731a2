import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isBelow } from '../files/index.js';

/** The session's working location. */
export interface WorkPlace {
  /** The working folder. */
  readonly cwd: string;
  readonly home: string;
}

/** The folders where systems keep their programs. */
const SYSTEM_FOLDERS: readonly string[] = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/run/current-system/sw/bin',
];

/** The search path of programs of the system. */
export const SYSTEM_PATH = SYSTEM_FOLDERS.join(path.delimiter);

/** Limit of the search for the root of a repository. */
const MOST_LEVELS = 64;

/**
 * Returns the folder whose content must not decide what is started: the working folder's repository, else the
 * working folder. `undefined` if the working folder contains everything of the user, which makes it
 * meaningless.
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

/** Whether a file is in a folder, by name or through links. */
export function liesIn(file: string, folder: string | undefined): boolean {
  return folder !== undefined && (isBelow(file, folder) || isBelow(real(file), folder));
}

/** The folder that programs of the person start in: their home, else a folder that the session does not work on. */
export function neutralFolder(place: WorkPlace): string {
  const guarded = guardedFolder(place);
  const home = real(place.home);
  const isHere = home === real(place.cwd);
  return isHere || !path.isAbsolute(place.home) || liesIn(home, guarded) || !isFolder(home)
    ? path.parse(home).root
    : home;
}

/**
 * Returns the search path's folders for finding programs: absolute, outside the session's folder. Excludes
 * those that npm adds for a project (`node_modules/.bin`).
 */
export function searchPath(given: string | undefined, guarded: string | undefined): string {
  const kept = (given ?? '')
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry) && !entry.replace(/\/+$/u, '').endsWith('node_modules/.bin'))
    .filter((entry) => !liesIn(entry, guarded));
  return kept.length === 0 ? SYSTEM_PATH : kept.join(path.delimiter); // an empty one would mean the folder it stands in
}

/** Finds a program by name; `undefined` if there is none. */
export function findInPath(name: string, folders: string): string | undefined {
  return folders
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find(isProgram);
}

/** Whether a file is executable. */
function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}

/** Variables by which shells and npm reveal a previous folder. */
const LEADS_BACK = /^(?:PWD|OLDPWD|INIT_CWD|npm_.*)$/iu;

/** Variable that tells our programs the working folder. */
export const FOLDER_VARIABLE = 'HITL_FOLDER';

/**
 * Returns an environment that leads a program to no folder except its own, and names the session's folder.
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
