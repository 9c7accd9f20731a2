import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

import { errnoOf, fromHome, HitlError, present } from '../core/index.js';

import { fileProblem } from './file-problem.js';
import { holdingsOf, isBelow, orItself } from './holdings.js';

/** The folder that relative paths start from, and the folder that `~` stands for. */
export interface Workspace {
  /** In `realFolder` form, so that hitl detects if the folder is replaced. */
  readonly cwd: string;
  readonly home: string;
  /** hitl's own folders. Access to them always requires a question. Default: none. */
  readonly ownFolders?: readonly string[];
  /**
   * Returns the paths that hitl starts or loads, each with an explanation. Changing such a path shows a
   * warning. Default: none.
   */
  readonly starts?: () => readonly StartedPath[];
}

/** A path that is started or loaded, with everything below it. */
export interface StartedPath {
  readonly path: string;
  readonly why: string;
  /**
   * Set if the entry applies to every path with this name, wherever it is and even if it is not configured.
   */
  readonly names?: true;
}

/** A path with all links resolved, for checks, display and use. */
export interface Place {
  readonly path: string;
  /** The absolute path as requested, with links unresolved. */
  readonly given: string;
  /** Whether it is inside the working directory and the working directory is not too broad. */
  readonly inside: boolean;
  /** The path to display, relative if it is below the working directory. */
  readonly label: string;
  /** Whether it was reached through a link. */
  readonly linked: boolean;
  /** The reason that the working directory is too broad to be a boundary, if the path is below it. */
  readonly wide?: string;
  /** The usual content of such a file, for example keys or passwords. */
  readonly holds?: string;
}

const MAX_LINKS = 40;

/** Whether the path may be read and its content reported without asking. */
export function isFree({ inside, holds }: Place): boolean {
  return inside && holds === undefined;
}

/**
 * Resolves a path, even if the file does not exist.
 * @throws HitlError TOOL_FAILED if the path contains a NUL character or a cycle of links, or if the working
 * directory has been replaced.
 */
export async function placeOf(given: string, { cwd, home, ownFolders }: Workspace): Promise<Place> {
  if (given.includes('\0')) throw new HitlError('TOOL_FAILED', 'a path must not contain a NUL character');
  const absolute = path.resolve(cwd, fromHome(given, home));
  try {
    if ((await realpath(cwd)) !== cwd)
      throw new HitlError(
        'TOOL_FAILED',
        `the working directory ${cwd} now leads to a different location than at the start`,
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

/** Returns the reason that a working directory is too broad; `undefined` if it is not. */
function widthOf(cwd: string, home: string): string | undefined {
  if (path.dirname(cwd) === cwd) return 'the file system root';
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
  if (links === 0) throw new HitlError('TOOL_FAILED', `${absolute} follows too many symbolic links`);
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
