import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { isProgram } from '../sandbox/system-program.js';

/** A program to run. */
export interface Program {
  /** The absolute path where it was found. */
  readonly path: string;
  /** Absolute, with links resolved. */
  readonly real: string;
}

/** Returns the absolute folders of a search path, which mean the same everywhere. */
export function searchFolders(searchPath: string): readonly string[] {
  return searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Finds a program as a shell would, in folders of the search path that are absolute. */
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

/** Returns the shell for command text: bash, for which models write, else the system's. */
export async function findShell(): Promise<string> {
  for (const shell of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash']) {
    if (await isProgram(shell)) return shell;
  }
  return '/bin/sh';
}
