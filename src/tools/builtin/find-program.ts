import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** A program as it will be run. */
export interface Program {
  /** Absolute, as found. */
  readonly path: string;
  /** Absolute, behind all symbolic links. */
  readonly real: string;
}

/**
 * Finds a program as a shell would. Folders of the search path that are relative or empty are passed over: they would
 * mean another program in each working directory.
 */
export async function findProgram(
  name: string,
  cwd: string,
  searchPath: string,
): Promise<Program | undefined> {
  const folders = name.includes('/')
    ? [cwd]
    : searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const folder of folders) {
    const candidate = path.resolve(folder, name);
    if (await isProgram(candidate)) return { path: candidate, real: await realpath(candidate) };
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // Not there or not ours to run: the next folder may have it.
  }
}

/** The shell that runs a command's text: bash, for which models write, or else the system's own. */
export async function findShell(): Promise<string> {
  for (const shell of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash']) {
    if (await isProgram(shell)) return shell;
  }
  return '/bin/sh';
}
