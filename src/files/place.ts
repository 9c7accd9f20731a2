import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

import { errnoOf, fromHome, HitlError, present } from '../core/index.js';

import { fileProblem } from './file-problem.js';
import { holdingsOf, isBelow, orItself } from './holdings.js';

/** Base of relative paths, and the folder of `~`. */
export interface Workspace {
  /** In `realFolder` form, so that a replacement is detected. */
  readonly cwd: string;
  readonly home: string;
  /** hitl's own folders, which always ask. Default: none. */
  readonly ownFolders?: readonly string[];
  /** Returns what hitl starts or loads, and when: changing it warns. Default: none. */
  readonly starts?: () => readonly StartedPath[];
}

/** A path that is started or loaded, with everything below it. */
export interface StartedPath {
  readonly path: string;
  readonly why: string;
  /** Whether the name alone matters, wherever it exists, without being configured. */
  readonly names?: true;
}

/** A path with all links resolved, for checks, display and use. */
export interface Place {
  readonly path: string;
  /** Absolute path as requested, with links unresolved. */
  readonly given: string;
  /** Inside the working directory, unless that is too broad. */
  readonly inside: boolean;
  /** For display: relative if below the working directory. */
  readonly label: string;
  /** Whether it was reached through a link. */
  readonly linked: boolean;
  /** Why the working directory is too broad to be meaningful, if the path is below it. */
  readonly wide?: string;
  /** What such a file usually contains: keys, passwords. */
  readonly holds?: string;
}

const MAX_LINKS = 40;

/** Whether it may be read and reported without asking. */
export function isFree({ inside, holds }: Place): boolean {
  return inside && holds === undefined;
}

/**
 * Resolves a path, also of a missing file.
 * @throws HitlError TOOL_FAILED for a path with NUL, a cycle of links, or a replaced working directory.
 */
export async function placeOf(given: string, { cwd, home, ownFolders }: Workspace): Promise<Place> {
  if (given.includes('\0')) throw new HitlError('TOOL_FAILED', 'a path must not contain a NUL character');
  const absolute = path.resolve(cwd, fromHome(given, home));
  try {
    if ((await realpath(cwd)) !== cwd)
      throw new HitlError(
        'TOOL_FAILED',
        `the working directory ${cwd} leads elsewhere now than at the start`,
      );
    const target = await follow(absolute, MAX_LINKS);
    const below = isBelow(target, cwd);
    const wide = below ? widthOf(cwd, await orItself(home)) : undefined;
    const holdings = await holdingsOf(ownFolders);
    // Both ways to it count: where it leads, and how it was asked for.
    const holds = holdings.of(target) ?? holdings.of(absolute);
    return {
      path: target,
      given: absolute,
      inside: below && wide === undefined,
      label: below ? path.relative(cwd, target) || '.' : target,
      linked: target !== absolute,
      ...present({ wide, holds }),
    };
  } catch (error) {
    throw fileProblem(error, given);
  }
}

/** Explains why a folder is too broad; `undefined` if it is not. */
function widthOf(cwd: string, home: string): string | undefined {
  if (path.dirname(cwd) === cwd) return 'the root of the file system';
  if (cwd === home) return 'your home folder';
  return isBelow(home, cwd) ? 'a folder above your home folder' : undefined;
}

async function follow(absolute: string, links: number): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  const parent = path.dirname(absolute);
  if (parent === absolute) return absolute;
  const folder = await follow(parent, links);
  const last = path.join(folder, path.basename(absolute));
  const link = await linkTarget(last);
  if (link === undefined) return last;
  // A link to nothing: writing to it would make what it points to.
  if (links === 0) throw new HitlError('TOOL_FAILED', `${absolute} leads through too many links`);
  return follow(path.resolve(folder, link), links - 1);
}

async function linkTarget(file: string): Promise<string | undefined> {
  try {
    return (await lstat(file)).isSymbolicLink() ? await readlink(file) : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
