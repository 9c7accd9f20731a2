import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RulePlace } from '../../src/core/index.js';
import { realFolder } from '../../src/files/index.js';
import type { Io } from '../host/index.js';

/** The file of a project, which is checked in with it. */
export const PROJECT_FILE = 'hitl.config.json';
/** The same as code. */
export const PROJECT_MODULE = 'hitl.config.ts';
/** Your own beside it, which git is told to ignore. */
export const LOCAL_FILE = 'hitl.config.local.json';

/** The servers of a project, as other agents share them. */
export const SERVERS_FILE = '.mcp.json';

/** Nobody works deeper below the root of a repository. */
const MOST_LEVELS = 64;

/**
 * The folders in which the configuration of a project is looked for: the working directory, and those above it up to the
 * root of its repository. Outside of a repository only the working directory: nobody knows whose the others are.
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

/** The nearest folder that has one of these files, with those that it has; the working directory where none has. */
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

/** True for whatever lies there, and for what cannot be looked at: reading it says so. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder that cannot be entered has nothing for us
  }
}

/** The place where relative paths of rules start: as real paths, as tools find them. */
export function rulePlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): RulePlace {
  return { folder: realFolder(cwd), home: realFolder(home) };
}
