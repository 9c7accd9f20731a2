import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { HitlError } from '../../src/core/index.js';
import { realFolder } from '../../src/files/index.js';
import { guardedFolder, liesIn } from '../../src/programs/index.js';
import type { Io } from '../host/index.js';
import { configFolder, stateFolder } from '../host/index.js';

/**
 * Rejects a configuration folder that is tracked by the repository in which the session works. Otherwise, the
 * repository could allow calls and configure programs on the user's behalf.
 * @throws HitlError USAGE if git tracks a file in the folder.
 */
export function refuseTrackedHome(io: Pick<Io, 'cwd' | 'env' | 'home'>): void {
  const root = guardedFolder(io);
  if (root === undefined) return;
  for (const folder of new Set([configFolder(io), stateFolder(io)])) {
    if (!liesIn(folder, root) || !isTracked(root, folder)) continue;
    throw new HitlError('USAGE', `git tracks files in \`${folder}\`, which must be private to you`, {
      hint: 'set HITL_HOME to a folder outside the checkout; a repository cannot provide your configuration',
    });
  }
}

/** Version of the git index format that abbreviates paths. Earlier versions store whole paths. */
const SHORTENED = 4;

/**
 * Whether the index of a repository lists a file in a folder. Also true if the index format is not supported.
 */
function isTracked(root: string, folder: string): boolean {
  const index = indexOf(join(root, '.git'));
  if (index === undefined) return false;
  if (index.length < 8 || index.readUInt32BE(4) === SHORTENED) return true;
  return index.includes(`${relative(root, realFolder(folder))}/`);
}

function indexOf(git: string): Buffer | undefined {
  try {
    if (statSync(git).isDirectory()) return readFileSync(join(git, 'index'));
    const [, elsewhere] = /^gitdir: (.+)$/mu.exec(readFileSync(git, 'utf8')) ?? [];
    return elsewhere === undefined ? undefined : readFileSync(join(resolve(git, '..', elsewhere), 'index'));
  } catch {
    return undefined; // no repository, or nothing was added to it
  }
}
