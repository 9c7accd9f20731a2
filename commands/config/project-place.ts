import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RulePlace } from '../../src/core/index.js';
import { realFolder } from '../../src/files/index.js';
import type { Io } from '../host/index.js';

/** The file of a project, which is checked in with it. */
export const PROJECT_FILE = 'hitl.config.json';
/** The same as code. */
export const PROJECT_MODULE = 'hitl.config.ts';
/** Your own file next to it, ignored by git. */
export const LOCAL_FILE = 'hitl.config.local.json';

/** A project's servers, in the format shared with other agents. */
export const SERVERS_FILE = '.mcp.json';

/** Limit of the search for the root of a repository. */
const MOST_LEVELS = 64;

/**
 * Returns the folders searched for a project's configuration: the working directory and those above, up to
 * the repository's root. Outside a repository only the working directory, because others may own the rest.
 */
export function foldersOfProject(cwd: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = cwd; folders.length < MOST_LEVELS; folder = dirname(folder)) {
    folders.push(folder);
    if (isThere(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) break;
  }
  return [cwd];
}

/**
 * Returns the nearest folder with one of these files, and those it has; the working directory if none has.
 */
export function nearest(
  cwd: string,
  names: readonly string[],
): { readonly folder: string; readonly found: readonly string[] } {
  for (const folder of foldersOfProject(cwd)) {
    const found = names.filter((name) => isThere(join(folder, name)));
    if (found.length > 0) return { folder, found };
  }
  return { folder: cwd, found: [] };
}

/** Whether something exists at the path; also true if it cannot be checked, which reading reports. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder that cannot be entered has nothing for us
  }
}

/** Returns the base of the rules' relative paths, as real paths, like those of tools. */
export function rulePlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): RulePlace {
  return { folder: realFolder(cwd), home: realFolder(home) };
}
