import { statSync } from 'node:fs';
import path from 'node:path';

import type { JsonObject } from '../core/index.js';
import { membersOf } from '../core/index.js';
import { foundBytes } from './found-file.js';

/** Returns the nearest folder with a package.json: the given folder or one above it. */
export function folderOfManifest(from: string): string | undefined {
  if (isFile(manifestOf(from))) return from;
  const above = path.dirname(from);
  return above === from ? undefined : folderOfManifest(above);
}

/**
 * Returns the contents of a folder's package.json. Returns an empty object if the file is missing or
 * unreadable, because Node ignores such a file too.
 */
export function manifestIn(folder: string): JsonObject {
  try {
    return membersOf(JSON.parse(foundBytes(manifestOf(folder))?.toString('utf8') ?? ''));
  } catch {
    return {};
  }
}

/**
 * Returns the root folder of this program, which is above its code. Skips the package.json that the build
 * creates, because it only sets the module type.
 */
export function packageRoot(from: string): string | undefined {
  const folder = folderOfManifest(from);
  if (folder === undefined || manifestIn(folder)['name'] === 'hitl') return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : packageRoot(above);
}

/** Returns the path of a folder's package.json. */
export function manifestOf(folder: string): string {
  return path.join(folder, 'package.json');
}

/**
 * Whether the path exists and is not a folder. Folders are excluded because importing one loads its index
 * file. Other kinds of files are rejected when they are read.
 */
export function isFile(file: string): boolean {
  try {
    return !statSync(file).isDirectory();
  } catch {
    return false; // nothing is there, or no path says so
  }
}
