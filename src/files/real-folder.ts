import { realpathSync } from 'node:fs';
import path from 'node:path';

/** Resolves a folder once for a whole run. A missing folder is returned unchanged; tools will report it. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}
