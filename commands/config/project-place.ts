import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RulePlace } from '../../src/core/index.js';
import { realFolder } from '../../src/files/index.js';
import type { Io } from '../host/index.js';

/** The configuration file of a project, committed with it. */
export const PROJECT_FILE = 'hitl.config.json';
/** The project configuration as code. */
export const PROJECT_MODULE = 'hitl.config.ts';
/** The user's own configuration file for the project, ignored by git. */
export const LOCAL_FILE = 'hitl.config.local.json';

/** The file that lists a project's MCP servers, in a format shared with other agents. */
export const SERVERS_FILE = '.mcp.json';

/** Maximum number of folders to search for the repository root. */
const MOST_LEVELS = 64;

/**
 * Returns the folders that are searched for a project's configuration: the working directory and its parents,
 * up to the repository root. Outside a repository, only the working directory is searched, because other
 * users may own its parents.
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
 * Returns the nearest folder that contains any of these files, and the names of those found. Returns the
 * working directory if no folder contains one.
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

/** Whether something exists at the path; false if it cannot be checked. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder that cannot be entered has nothing for us
  }
}

/**
 * Returns the folders that relative paths in rules are resolved against. They are real paths, like those that
 * tools report.
 */
export function rulePlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): RulePlace {
  return { folder: realFolder(cwd), home: realFolder(home) };
}
