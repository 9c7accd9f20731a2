import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

import { errnoOf, fromHome, HitlError, present } from '../core/index.js';

import { fileProblem } from './file-problem.js';
import { holdingsOf, isBelow, orItself } from './holdings.js';

/** The folder where relative paths start, and the one that `~` is. */
export interface Workspace {
  /** As `realFolder` has it: another folder in its place is noticed. */
  readonly cwd: string;
  readonly home: string;
  /** Folders where the program keeps what is its own: always asked about. Default none. */
  readonly ownFolders?: readonly string[];
  /** Finds what the program starts or loads, and when: a change of it says so. Default none. */
  readonly starts?: () => readonly StartedPath[];
}

/** A path that is started or loaded, with all that is below it. */
export interface StartedPath {
  readonly path: string;
  readonly why: string;
  /** True for a name that counts wherever there is one, and is no part of what was configured here. */
  readonly names?: true;
}

/** A path with every symbolic link followed: what is checked, shown and used. */
export interface Place {
  readonly path: string;
  /** As it was asked for, absolute: links are not followed. */
  readonly given: string;
  /** It lies in the working directory, and that is no folder that holds everything of a person. */
  readonly inside: boolean;
  /** For people: relative to the working directory where it lies below it. */
  readonly label: string;
  /** A link led to it. */
  readonly linked: boolean;
  /** It lies below the working directory, which is too wide for that to mean anything: what that directory is. */
  readonly wide?: string;
  /** The things that such a file holds as a rule: keys, passwords. */
  readonly holds?: string;
}

const MAX_LINKS = 40;

/** True for what may be read, and told of, without asking. */
export function isFree({ inside, holds }: Place): boolean {
  return inside && holds === undefined;
}

/**
 * Follows a path to where it leads, also when nothing is there yet.
 * @throws HitlError TOOL_FAILED for a path with a NUL, a circle of links, or another folder in the working directory's place.
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

/** Says why being in a folder tells nothing; `undefined` where it does. */
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
