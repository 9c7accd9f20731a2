import { rmSync } from 'node:fs';
import path from 'node:path';

import { isTemporary } from '../disk/index.js';
import type { FileSystem } from '../disk/index.js';
import { isRemoved } from '../folder/index.js';
import type { StoreContext } from '../folder/index.js';

/** Younger ones may still be in use by another process. */
const STRAY_AFTER_MS = 60_000;

/**
 * Removes what processes that died left in the folder of all sessions: half written caches, and sessions whose
 * removal was cut short. Never throws.
 * @returns their names.
 */
export function tidyStore({ fs, root, now }: StoreContext): readonly string[] {
  const removed: string[] = [];
  for (const name of namesIn(fs, root)) {
    if (!isTemporary(name) && !isRemoved(name)) continue;
    try {
      const file = path.join(root, name);
      if (now() - (fs.lookUp(file)?.mtimeMs ?? Infinity) < STRAY_AFTER_MS) continue;
      rmSync(file, { recursive: true, force: true });
      removed.push(name);
    } catch {
      // it stays, and does no harm
    }
  }
  return removed;
}

function namesIn(fs: FileSystem, root: string): readonly string[] {
  try {
    return fs.entries(root);
  } catch {
    return []; // nothing to tidy where nothing can be seen
  }
}
