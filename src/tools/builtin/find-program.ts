import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { isProgram } from '../sandbox/system-program.js';

/** A program to run. */
export interface Program {
  /** The absolute path where the program was found. */
  readonly path: string;
  /** Absolute path with links resolved. */
  readonly real: string;
}

/**
 * Returns the absolute folders in a search path. The others are left out, because they depend on the current
 * folder.
 */
export function searchFolders(searchPath: string): readonly string[] {
  return searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Finds a program as a shell would, but searches only absolute folders. */
export async function findProgram(
  name: string,
  cwd: string,
  searchPath: string,
): Promise<Program | undefined> {
  const folders = name.includes('/') ? [cwd] : searchFolders(searchPath);
  for (const folder of folders) {
    const candidate = path.resolve(folder, name);
    if (await isProgram(candidate)) return { path: candidate, real: await realpath(candidate) };
  }
  return undefined;
}

/**
 * Returns the shell that runs command text: bash, which models usually write for, or else the system's shell.
 */
export async function findShell(): Promise<string> {
  for (const shell of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash']) {
    if (await isProgram(shell)) return shell;
  }
  return '/bin/sh';
}
