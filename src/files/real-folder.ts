import { realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Finds where a folder leads now, for a whole run; one that is not there stays as it is named, and the tools will tell.
 */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}
