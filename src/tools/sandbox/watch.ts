import { lstat, readlink, rename, symlink } from 'node:fs/promises';
import path from 'node:path';

import { isBelow } from '../../files/index.js';

import { realPlace } from './existing.js';

// Invariants:
// K1 No mount keeps a name from being made, or a link from being replaced. What a command did there is moved aside when
//    all of it has ended, before anything else of this program runs.
// K2 Nothing is deleted, and no link is followed that was not there before: what it leads to is another’s.

/** Makes a repository of a folder that was none. */
const REPOSITORY: readonly string[] = ['.git', '.git/config'];
/** Tells git to take its configuration and hooks from elsewhere; no main working tree has one. */
const ELSEWHERE = '.git/commondir';

/** What stands at a path. */
type Identity = string | undefined;
type Before = ReadonlyMap<string, Identity>;

/**
 * Remembers the names that a command must not make or replace, and gives what puts them in order once all of it has
 * ended, and tells of it.
 */
export async function watchNames(
  workspace: string,
  readOnly: readonly string[],
): Promise<() => Promise<readonly string[]>> {
  const repository = REPOSITORY.map((name) => path.join(workspace, name));
  const names = await namesWithin(workspace, [...readOnly, path.join(workspace, ELSEWHERE)]);
  const before = await remember([...repository, ...names.flatMap((name) => partsOf(name, workspace))]);
  return async () => {
    const notes: string[] = [];
    for (const name of repository) {
      if ((await identity(name)) === before.get(name)) continue;
      notes.push(`\`${path.relative(workspace, name)}\` was made or replaced; look at it before you use it`);
    }
    for (const name of names) {
      const part = await changedPart(partsOf(name, workspace), before);
      if (part !== undefined) notes.push(await putInOrder(part, before.get(part), workspace));
    }
    return notes;
  };
}

/** The names that lie in a folder, also by where the folder above them leads. */
async function namesWithin(workspace: string, names: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(
    names.map(async (name) => {
      const parent = await realPlace(path.dirname(name));
      return parent === undefined ? [name] : [name, path.join(parent.path, path.basename(name))];
    }),
  );
  return [...new Set(real.flat())].filter((name) => name !== workspace && isBelow(name, workspace));
}

/** The name and the folders above it, from the working directory on. */
function partsOf(name: string, workspace: string): readonly string[] {
  const parts = path.relative(workspace, name).split(path.sep);
  return parts.map((_, index) => path.join(workspace, ...parts.slice(0, index + 1)));
}

/** The first part that is not as it was: a link that is another or gone, or a name that nothing had. */
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
  if (!isThere) return `\`${label}\` was removed and is back: programs load it later`;
  const done = was === undefined ? 'made' : 'replaced';
  return `\`${label}\` was ${done}, and is now \`${path.relative(workspace, aside)}\`: programs load it later`;
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
