import { realpathSync } from 'node:fs';
import path from 'node:path';

/** Resolves a folder for a whole run; returns a missing one unchanged, which tools will report. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}
