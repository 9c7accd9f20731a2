import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { HitlError } from '../../core/index.js';
import { sensitiveNames } from '../../files/index.js';

import type { Mount } from './mounts.js';

/**
 * Maximum number of folders to search, and of entries to cover. If there are more, the command does not run.
 */
const MOST_FOLDERS = 20_000;
const MOST_COVERED = 1_000;

/**
 * Returns mounts that hide entries of a visible folder from a read-only command: entries with names that
 * often contain keys, and everything other than files, folders and links. Sockets and pipes are hidden
 * because they lead to other programs, even on a read-only file system.
 * @throws HitlError TOOL_FAILED if there are too many entries.
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
    if (covered.length > MOST_COVERED) throw tooMuch(`more than ${MOST_COVERED} files that may contain keys`);
  }
  return covered;
}

/**
 * Whether to hide an entry from an unapproved command, because it may contain keys or because it leads to
 * another program.
 */
export async function isCovered(root: string, file: string, isPlain: boolean): Promise<boolean> {
  if (!isPlain) return true;
  // Git needs its settings, of submodules and worktrees too, and they seldom hold a key.
  if (SETTINGS.has(path.basename(file))) return SECRETS.test(await readFile(file, 'utf8').catch(() => '')); // Not ours to read, or a folder.
  return sensitiveNames.findBelow(root, file) !== undefined;
}

/** Names of the configuration files of a git repository. */
const SETTINGS: ReadonlySet<string> = new Set(['config', 'config.worktree']);

/** Matches a URL with a password, or a setting whose name indicates a secret. */
const SECRETS = /:\/\/[^\s/]+@|extraheader|token|passw|secret|authorization|cookie/iu;

function tooMuch(what: string): HitlError {
  return new HitlError(
    'TOOL_FAILED',
    `a read-only command cannot run, because the working directory has ${what}; call it again with \`writes: true\` to ask the user`,
  );
}
