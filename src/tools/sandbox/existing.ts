import { realpath, stat } from 'node:fs/promises';

/** An existing file system entry, with all links resolved. */
export interface Place {
  readonly path: string;
  /** Not a folder. */
  readonly isFile: boolean;
}

/** Resolves a path. Returns `undefined` if it does not exist or is not accessible. */
export async function realPlace(path: string): Promise<Place | undefined> {
  try {
    const real = await realpath(path);
    return { path: real, isFile: !(await stat(real)).isDirectory() };
  } catch {
    return undefined; // A command of the same user cannot reach it either.
  }
}

/** Returns the paths that exist, with all links resolved. */
export async function existing(paths: readonly string[]): Promise<readonly Place[]> {
  const places = await Promise.all(paths.map((path) => realPlace(path)));
  return places.filter((place) => place !== undefined);
}
