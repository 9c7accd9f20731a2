import { statSync } from 'node:fs';
import path from 'node:path';

import type { JsonObject } from '../core/index.js';
import { membersOf } from '../core/index.js';
import { foundBytes } from './found-file.js';

/** The nearest folder, this one or above it, that has a package.json. */
export function folderOfManifest(from: string): string | undefined {
  if (isFile(manifestOf(from))) return from;
  const above = path.dirname(from);
  return above === from ? undefined : folderOfManifest(above);
}

/** The members of the package.json of a folder; none where it is not there, or cannot be read: nobody loads by it either. */
export function manifestIn(folder: string): JsonObject {
  try {
    return membersOf(JSON.parse(foundBytes(manifestOf(folder))?.toString('utf8') ?? ''));
  } catch {
    return {};
  }
}

/** The folder of this program, above a folder of its code: a package.json of the build says only how files are read. */
export function packageRoot(from: string): string | undefined {
  const folder = folderOfManifest(from);
  if (folder === undefined || manifestIn(folder)['name'] === 'hitl') return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : packageRoot(above);
}

/** The place of the package.json of a folder. */
export function manifestOf(folder: string): string {
  return path.join(folder, 'package.json');
}

/** Folders are looked into by their index; anything else that is there is for the reader to judge. */
export function isFile(file: string): boolean {
  try {
    return !statSync(file).isDirectory();
  } catch {
    return false; // nothing is there, or no path says so
  }
}
