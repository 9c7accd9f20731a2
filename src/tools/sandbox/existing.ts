import { realpath, stat } from 'node:fs/promises';

/** Something that is there, with every link followed. */
export interface Place {
  readonly path: string;
  /** It is no folder. */
  readonly isFile: boolean;
}

/** Finds where a path leads; `undefined` where nothing is there, or nothing that this user can reach. */
export async function realPlace(path: string): Promise<Place | undefined> {
  try {
    const real = await realpath(path);
    return { path: real, isFile: !(await stat(real)).isDirectory() };
  } catch {
    return undefined; // A command of the same user cannot reach it either.
  }
}

/** Those of the paths that lead to something. */
export async function existing(paths: readonly string[]): Promise<readonly Place[]> {
  const places = await Promise.all(paths.map((path) => realPlace(path)));
  return places.filter((place) => place !== undefined);
}
