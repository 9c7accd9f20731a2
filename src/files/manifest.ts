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

/**
 * Returns a folder's package.json properties; none if it is missing or unreadable, when nothing loads by it
 * either.
 */
export function manifestIn(folder: string): JsonObject {
  try {
    return membersOf(JSON.parse(foundBytes(manifestOf(folder))?.toString('utf8') ?? ''));
  } catch {
    return {};
  }
}

/** Returns this program's folder, above its code: the build's package.json only sets the module type. */
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

/** Excludes folders, which are resolved by their index; the reader judges anything else. */
export function isFile(file: string): boolean {
  try {
    return !statSync(file).isDirectory();
  } catch {
    return false; // nothing is there, or no path says so
  }
}
