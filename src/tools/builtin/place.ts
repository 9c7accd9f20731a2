import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

import { errnoOf, HitlError } from '../../core/index.js';

/** Where relative paths start, and what `~` is. */
export interface Workspace {
  readonly cwd: string;
  readonly home: string;
}

/** A path with every symbolic link followed: what is checked, shown and used. */
export interface Place {
  readonly path: string;
  /** It lies in the working directory. */
  readonly inside: boolean;
  /** For people: relative to the working directory where it lies in it. */
  readonly label: string;
  /** A link led to it. */
  readonly linked: boolean;
}

const MAX_LINKS = 40;

/**
 * Follows a path to where it leads, also when nothing is there yet.
 * @throws HitlError TOOL_FAILED for a path with a NUL or a circle of links.
 */
export async function placeOf(given: string, { cwd, home }: Workspace): Promise<Place> {
  if (given.includes('\0')) throw new HitlError('TOOL_FAILED', 'a path must not hold a NUL character');
  const root = await realpath(cwd);
  const absolute = path.resolve(root, fromHome(given, home));
  const target = await follow(absolute, MAX_LINKS);
  const relative = path.relative(root, target);
  const inside = relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  const label = inside ? (relative === '' ? '.' : relative) : target;
  return { path: target, inside, label, linked: target !== absolute };
}

function fromHome(given: string, home: string): string {
  return given === '~' || given.startsWith('~/') ? path.join(home, given.slice(2)) : given;
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
