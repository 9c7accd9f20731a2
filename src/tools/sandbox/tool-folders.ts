import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { isBelow, sensitiveNames } from '../../files/index.js';

import { realPlace } from './existing.js';
import type { Mount } from './mounts.js';
import { TAKEN } from './system-places.js';

/** Names of the folder that contains the programs of an installation. */
const PROGRAMS = new Set(['bin', 'sbin', 'shims']);
/** Names of folders that are often next to the `bin` folder of an installation. */
const PARTS: readonly string[] = ['lib', 'libexec', 'versions', 'installs', 'tools'];

interface Around {
  readonly workspace: string;
  readonly home: string;
}

/**
 * Returns mounts for folders on the search path that are not system folders. A folder that belongs to an
 * installation, such as a `bin` with a `lib` next to it, is shown together with the installation. Excludes
 * folders that contain names of key files, the home directory or the working directory.
 */
export async function toolFolders(folders: readonly string[], around: Around): Promise<readonly Mount[]> {
  const found = await Promise.all(folders.map((folder) => toolFolder(folder, around)));
  return found.flat();
}

async function toolFolder(folder: string, { workspace, home }: Around): Promise<readonly Mount[]> {
  const place = await realPlace(folder);
  if (place === undefined || place.isFile) return [];
  const { path: real } = place;
  if ([workspace, ...TAKEN].some((other) => isBelow(real, other))) return [];
  if (isWide(real, { workspace, home }) || (await holdsKeys(real, home))) return [];
  return shownAt(folder, (await isInstallation(real, { workspace, home })) ? path.dirname(real) : real, real);
}

/**
 * Returns the mounts that show a folder. If the folder was specified by a path that is a link, it is shown at
 * that path as well.
 */
export function shownAt(named: string, seen: string, real = seen): readonly Mount[] {
  const inPlace: Mount = { path: seen, kind: 'read-only' };
  return named === real ? [inPlace] : [inPlace, { path: named, kind: 'read-only', from: real }];
}

async function isInstallation(programs: string, around: Around): Promise<boolean> {
  const folder = path.dirname(programs);
  if (!PROGRAMS.has(path.basename(programs)) || path.dirname(folder) === '/') return false;
  // Programs of all kinds keep what is theirs there.
  if (folder === path.join(around.home, '.local') || isWide(folder, around)) return false;
  const names = await namesIn(folder);
  return PARTS.some((part) => names.includes(part)) && !(await holdsKeys(folder, around.home));
}

/** Whether a folder contains the home directory or the working directory. */
function isWide(folder: string, { workspace, home }: Around): boolean {
  return isBelow(home, folder) || isBelow(workspace, folder);
}

async function holdsKeys(folder: string, home: string): Promise<boolean> {
  const from = isBelow(folder, home) ? home : folder;
  const names = await namesIn(folder);
  return names.some((name) => sensitiveNames.findBelow(from, path.join(folder, name)) !== undefined);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []); // Not ours to list.
}
