import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { HitlError } from '../../core/index.js';
import { sensitiveNames } from '../../files/index.js';

import type { Mount } from './mounts.js';

/** Folders that are looked into, and names that are covered; where there are more, it does not run. */
const MOST_FOLDERS = 20_000;
const MOST_COVERED = 1_000;

/**
 * Returns what a command that only reads must not open in a folder that it sees, replaced by nothing: names that often
 * hold keys, and whatever is no file, folder or link: a socket or a pipe leads to another program, also on a file system
 * that is read-only.
 * @throws HitlError TOOL_FAILED if there is too much to look through.
 */
export async function coveredIn(root: string): Promise<readonly Mount[]> {
  const covered: Mount[] = [];
  const waiting = [root];
  for (const [count, folder] of waiting.entries()) {
    if (count >= MOST_FOLDERS) throw tooMuch(`more than ${MOST_FOLDERS} folders`);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // gone, or not ours to list
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      if (entry.isSymbolicLink()) continue; // What it leads to is seen under its own name, or not at all.
      const isFolder = entry.isDirectory();
      if (await isCovered(root, file, isFolder || entry.isFile()))
        covered.push({ path: file, kind: isFolder ? 'empty' : 'nothing' });
      else if (isFolder) waiting.push(file);
    }
    if (covered.length > MOST_COVERED) throw tooMuch(`more than ${MOST_COVERED} files that may hold keys`);
  }
  return covered;
}

/** Whether a command that nobody agreed to must not see an entry: it may hold keys, or leads to another program. */
export async function isCovered(root: string, file: string, isPlain: boolean): Promise<boolean> {
  if (!isPlain) return true;
  // Git needs its settings, of submodules and worktrees too, and they seldom hold a key.
  if (SETTINGS.has(path.basename(file))) return SECRETS.test(await readFile(file, 'utf8').catch(() => '')); // Not ours to read, or a folder.
  return sensitiveNames.findBelow(root, file) !== undefined;
}

/** Names of the settings of a repository. */
const SETTINGS: ReadonlySet<string> = new Set(['config', 'config.worktree']);

/** An address with a password, or a setting whose name says that it is one. */
const SECRETS = /:\/\/[^\s/]+@|extraheader|token|passw|secret|authorization|cookie/iu;

function tooMuch(what: string): HitlError {
  return new HitlError(
    'TOOL_FAILED',
    `a command that only reads cannot run here, because the working directory has ${what}: call it again with \`writes: true\`, and the user is asked`,
  );
}
