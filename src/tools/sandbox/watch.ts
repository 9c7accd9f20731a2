import { lstat, readdir, readlink, rename, symlink } from 'node:fs/promises';
import path from 'node:path';

import { isBelow } from '../../files/index.js';
import { isRepository } from '../../programs/index.js';

import { realPlace } from './existing.js';

// Invariants:
// K1 No mount keeps a name from being made, or a link from being replaced. What a command did there is moved aside when
//    all of it has ended, before anything else of this program runs.
// K2 Nothing is deleted, and no link is followed that was not there before: what it leads to is another’s.

/** Paths that make a folder a git repository. */
const REPOSITORY: readonly string[] = ['.git', '.git/config'];
/**
 * A file that makes git read its configuration and hooks from another location. The main working tree of a
 * repository never has one.
 */
const ELSEWHERE = '.git/commondir';

/** Identifies the entry at a path, or is `undefined` if there is none. */
type Identity = string | undefined;
type Before = ReadonlyMap<string, Identity>;

/**
 * Records the names that a command must not create or replace. Returns a function that moves such changes
 * aside after the command has ended, and reports them.
 */
export async function watchNames(
  workspace: string,
  readOnly: readonly string[],
): Promise<() => Promise<readonly string[]>> {
  const repository = REPOSITORY.map((name) => path.join(workspace, name));
  const names = await namesWithin(workspace, [...readOnly, path.join(workspace, ELSEWHERE)]);
  const before = await remember([...repository, ...names.flatMap((name) => partsOf(name, workspace))]);
  const below = await repositoriesBelow(workspace);
  return async () => {
    const notes = await newRepositories(workspace, below);
    for (const name of repository) {
      if ((await identity(name)) === before.get(name)) continue;
      notes.push(`\`${path.relative(workspace, name)}\` was created or replaced; check it before you use it`);
    }
    for (const name of names) {
      const part = await changedPart(partsOf(name, workspace), before);
      if (part !== undefined) notes.push(await putInOrder(part, before.get(part), workspace));
    }
    return notes;
  };
}

/** Maximum number of folders to search for repositories. */
const MOST_FOLDERS = 10_000;

/** The repositories in and below a folder, including bare ones, with their identities. */
interface Found {
  readonly at: Before;
  readonly isCut: boolean;
}

async function repositoriesBelow(workspace: string): Promise<Found> {
  const at = new Map<string, Identity>();
  const waiting = [workspace];
  for (const [count, folder] of waiting.entries()) {
    if (count === MOST_FOLDERS) return { at, isCut: true };
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // gone, or not ours to enter
    const names = new Set(entries.map(({ name }) => name));
    if (isRepository(names)) at.set(folder, await kindOf(folder));
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      if (entry.name.toLowerCase() === '.git') at.set(file, await kindOf(file));
      else if (entry.isDirectory()) waiting.push(file);
    }
  }
  return { at, isCut: false };
}

/** Identifies a repository by its folder, because the contents of the folder change with use. */
async function kindOf(file: string): Promise<Identity> {
  const at = await lstat(file).catch(() => undefined);
  return at?.isDirectory() === true ? `${at.dev}:${at.ino}` : identity(file);
}

async function newRepositories(workspace: string, before: Found): Promise<string[]> {
  const after = await repositoriesBelow(workspace);
  const made = [...after.at].filter(
    ([file, is]) => before.at.get(file) !== is && file !== path.join(workspace, '.git'),
  );
  const notes = made.map(
    ([file]) =>
      `\`${path.relative(workspace, file) || '.'}\` is a new or replaced repository: git runs programs that it specifies, even for \`git status\` in a parent folder`,
  );
  if (after.isCut || before.isCut)
    notes.push(
      `there are more than ${MOST_FOLDERS} folders, so not all were checked; git may run programs from new or existing repositories in the others`,
    );
  return notes;
}

/**
 * Returns the names that are below a folder, including names whose parent path leads there through a link.
 */
async function namesWithin(workspace: string, names: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(
    names.map(async (name) => {
      const parent = await realPlace(path.dirname(name));
      return parent === undefined ? [name] : [name, path.join(parent.path, path.basename(name))];
    }),
  );
  return [...new Set(real.flat())].filter((name) => name !== workspace && isBelow(name, workspace));
}

/** Returns a path and its parent folders below the working directory, outermost first. */
function partsOf(name: string, workspace: string): readonly string[] {
  const parts = path.relative(workspace, name).split(path.sep);
  return parts.map((_, index) => path.join(workspace, ...parts.slice(0, index + 1)));
}

/**
 * Returns the first part of a path that was changed: a link that was created, replaced or removed, or the
 * path itself if it is new.
 */
async function changedPart(parts: readonly string[], before: Before): Promise<string | undefined> {
  for (const [index, part] of parts.entries()) {
    const was = before.get(part);
    const now = await identity(part);
    if (linkTarget(was) !== undefined || linkTarget(now) !== undefined) return now === was ? undefined : part;
    if (now === undefined) return undefined;
    if (index === parts.length - 1) return was === undefined ? part : undefined;
  }
  return undefined;
}

async function putInOrder(name: string, was: Identity, workspace: string): Promise<string> {
  const label = path.relative(workspace, name);
  const isThere = (await identity(name)) !== undefined;
  const aside = await freeName(name);
  if (isThere) await rename(name, aside);
  const target = linkTarget(was);
  if (target !== undefined) await symlink(target, name);
  if (!isThere) return `\`${label}\` was removed and has been restored, because programs could load it later`;
  const done = was === undefined ? 'made' : 'replaced';
  return `\`${label}\` was ${done} and was moved to \`${path.relative(workspace, aside)}\`, because programs could load it later`;
}

async function freeName(name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = `${name}.set-aside${number === 1 ? '' : `-${number}`}`;
    if ((await identity(candidate)) === undefined) return candidate;
  }
}

const LINK = 'link to ';

function linkTarget(at: Identity): string | undefined {
  return at?.startsWith(LINK) === true ? at.slice(LINK.length) : undefined;
}

async function remember(names: readonly string[]): Promise<Before> {
  return new Map(await Promise.all(names.map(async (name) => [name, await identity(name)] as const)));
}

async function identity(file: string): Promise<Identity> {
  try {
    const at = await lstat(file);
    if (at.isSymbolicLink()) return `${LINK}${await readlink(file)}`;
    // The number of a file that is gone is given to the next one; a folder changes with what is in it.
    return `${at.dev}:${at.ino}:${at.mode}:${at.isDirectory() ? '' : at.ctimeMs}`;
  } catch {
    return undefined; // Not there.
  }
}
