import path from 'node:path';
import { lstat, readFile } from 'node:fs/promises';

import { HitlError } from '../../core/index.js';
import { isBelow } from '../../files/index.js';
import { coveredIn } from './covered.js';
import { existing, realPlace } from './existing.js';
import type { FolderCopy } from './folder-copy.js';
import type { Layout, Mount } from './mounts.js';
import { layoutOf, shows } from './mounts.js';
import { repositoryOfWorktree, repositoryParts } from './repository.js';
import { resolverPlace, SHARED, systemMounts, TAKEN } from './system-places.js';
import { shownAt, toolFolders } from './tool-folders.js';

// Invariants:
// W1 A command sees what this module names, and nothing else: the system, its working directory, the programs of the
//    search path, what the person added. Keys of the home directory need not be known to be absent.
// W2 A folder whose sight would bring in what W1 leaves out is no working directory: the command is refused.
// W3 What only reads runs without a person's word, so it sees less: nothing that the person added, no file of the working
//    directory whose name says that it holds keys, and nothing that another program listens on.

/** The folders and environment variables that a sandbox is built from. All paths are absolute. */
export interface Surroundings {
  /** The working directory. */
  readonly workspace: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** hitl's own folders, which contain sessions, trust decisions and keys. */
  readonly hidden: readonly string[];
  /** Returns paths in the working directory that commands must not change. The paths need not exist. */
  readonly readOnly: () => readonly string[];
  /** Additional folders and files that commands may read. */
  readonly reads: readonly string[];
}

/** The requirements of one command. */
export interface Wanted {
  /** Absolute path of the folder to run the command in, without links. */
  readonly cwd: string;
  readonly network: boolean;
  /** Whether the command may write to the working directory. If false, it also sees less (W3). */
  readonly writes: boolean;
  /**
   * A copy that replaces the working directory. A command that runs in a copy sees no more than a read-only
   * command does.
   */
  readonly copy?: Pick<FolderCopy, 'path' | 'shown'>;
}

/**
 * Returns the file system that a command sees.
 * @throws HitlError TOOL_FAILED if the command cannot run in its folder, if an added folder contains the home
 * directory, or if entries that a read-only command must not read cannot be covered.
 */
export async function survey(around: Surroundings, wanted: Wanted): Promise<Layout> {
  const folders = await refuseFolders(around, wanted.cwd);
  const [, workspace] = folders;
  const { writes, copy } = wanted;
  const isAgreed = writes && copy === undefined;
  const sight = await sights(around, folders, { ...wanted, writes: isAgreed, added: isAgreed });
  if (isAgreed) return layoutOf(sight);
  const repository = (await repositoryOfWorktree(workspace)).map(({ path }) => path);
  const seen = copy === undefined ? [workspace] : copy.shown;
  const covered = await Promise.all([...seen, ...repository].map(coveredIn)); // W3
  return layoutOf([...sight, ...covered.flat()]);
}

/**
 * Returns the mounts that a command sees, before entries in its working directory are covered. `added`
 * determines whether to include the folders that the user added.
 */
async function sights(
  around: Surroundings,
  [own, workspace, home]: Folders,
  { cwd, network, writes, copy, added }: Wanted & { readonly added: boolean },
): Promise<readonly Mount[]> {
  const repository = writes ? await repositoryParts(workspace) : [];
  const kept = [...repository, ...(await existing(around.readOnly()))].map(({ path }) => path);
  const keptHere = outermost(kept.filter((path) => writes && isBelow(path, workspace)));
  const sockets = [
    ...(copy === undefined ? [workspace] : copy.shown),
    ...(isBelow(cwd, workspace) ? [] : [cwd]),
  ].map(socketsIn);
  return [
    ...(await systemMounts()),
    ...homeMount(around.home),
    ...[
      ...(await toolFolders(searchFolders(around), { workspace, home })),
      ...(added ? await addedPlaces(around, home) : []),
    ].filter(({ path }) => !own.some((folder) => isBelow(path, folder))),
    ...[...(await repositoryOfWorktree(workspace)), ...(network ? await resolverPlace() : [])]
      .filter(({ path }) => !TAKEN.includes(path) && !isBelow(path, workspace))
      .map(({ path }): Mount => ({ path, kind: 'read-only' })),
    ...(isBelow(cwd, workspace) ? [] : [{ path: cwd, kind: 'read-only' } as const]),
    ...(copy === undefined
      ? [{ path: workspace, kind: writes ? 'writable' : 'read-only' } as const]
      : [
          { path: workspace, kind: 'writable', from: copy.path } as const,
          ...copy.shown.map((path): Mount => ({ path, kind: 'read-only' })),
        ]),
    ...keptHere.map((path): Mount => ({ path, kind: 'read-only' })),
    ...(writes ? outermost([...own, ...keptHere]) : []).flatMap((path) => held(path, workspace)),
    ...(await hiddenPlaces(around.hidden)),
    ...(await Promise.all(sockets)).flat().map((path): Mount => ({ path, kind: 'nothing' })),
  ];
}

/**
 * Checks that a program can run in a folder.
 * @throws HitlError TOOL_FAILED if commands would not see the program, or would see too much (W2).
 */
export async function checkSight(around: Surroundings, cwd: string, program: string): Promise<void> {
  const folders = await refuseFolders(around, cwd);
  if (await isSeen(around, folders, { cwd, program, added: true })) return;
  throw new HitlError(
    'TOOL_FAILED',
    `sandboxed commands cannot see ${program}: add its folder to \`sandboxReads\` in your configuration`,
  );
}

/**
 * Returns the reason that a read-only command cannot run in a folder, or `undefined` if it can.
 * @throws HitlError TOOL_FAILED for a folder that no sandboxed command may run in (W2).
 */
export async function whyNotReading(
  around: Surroundings,
  cwd: string,
  program: string,
): Promise<string | undefined> {
  const folders = await refuseFolders(around, cwd);
  const [, workspace] = folders;
  if (!isBelow(cwd, workspace)) return 'it runs outside the working directory';
  return (await isSeen(around, folders, { cwd, program, added: false }))
    ? undefined
    : `read-only commands cannot see ${program}`;
}

async function isSeen(
  around: Surroundings,
  folders: Folders,
  { cwd, program, added }: { readonly cwd: string; readonly program: string; readonly added: boolean },
): Promise<boolean> {
  const [, workspace] = folders;
  const real = (await realPlace(program))?.path ?? program;
  if (isBelow(real, workspace) || isBelow(real, '/usr')) return true;
  return shows(layoutOf(await sights(around, folders, { cwd, network: false, writes: false, added })), real);
}

type Folders = readonly [own: readonly string[], workspace: string, home: string];

/** @throws HitlError TOOL_FAILED for a folder that no sandboxed command may run in (W2). */
async function refuseFolders(around: Surroundings, cwd: string): Promise<Folders> {
  const [root, person] = await Promise.all([realPlace(around.workspace), realPlace(around.home)]);
  const workspace = root?.path ?? around.workspace;
  const home = person?.path ?? around.home;
  const own = (await existing(around.hidden)).map(({ path }) => path);
  for (const folder of new Set([workspace, cwd])) {
    const why = whyUnseen(folder, { own, home, isChosen: isBelow(folder, workspace) });
    if (why !== undefined)
      throw new HitlError('TOOL_FAILED', `sandboxed commands cannot run in ${folder}: ${why}`, {
        hint: 'use a folder in the project, or turn the sandbox off: --sandbox off',
      });
  }
  return [own, workspace, home];
}

interface Private {
  readonly own: readonly string[];
  readonly home: string;
  /** Whether the folder is the user's working directory, or inside it. */
  readonly isChosen: boolean;
}

/** Returns the reason that showing a folder would reveal too much (W2), or `undefined` if it would not. */
function whyUnseen(folder: string, { own, home, isChosen }: Private): string | undefined {
  if (folder === home) return 'it is your home directory';
  if (isBelow(home, folder)) return 'it contains your home directory';
  if (own.some((kept) => isBelow(folder, kept))) return 'hitl keeps its own files there';
  if (TAKEN.some((part) => isBelow(part, folder))) return 'it is or contains a system folder';
  if (['/proc', '/dev', '/sys'].some((made) => isBelow(folder, made))) return 'it is a system folder';
  const [first = ''] = path.relative(home, folder).split(path.sep);
  if (!isChosen && isBelow(folder, home) && first.startsWith('.'))
    return 'programs keep their settings and keys there';
  return undefined;
}

/**
 * Returns a mount for an empty home directory, because programs expect one. Returns none if the home
 * directory is a system folder, as it is for system users.
 */
function homeMount(home: string): readonly Mount[] {
  const isTaken = TAKEN.some(
    (part) => isBelow(part, home) || (isBelow(home, part) && !SHARED.includes(part)),
  );
  return isTaken ? [] : [{ path: home, kind: 'fresh' }];
}

function searchFolders({ env }: Surroundings): readonly string[] {
  return (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

async function addedPlaces({ reads }: Surroundings, home: string): Promise<readonly Mount[]> {
  const places = await Promise.all(reads.map((named) => realPlace(named)));
  return reads.flatMap((named, index) => {
    const real = places[index]?.path;
    if (real === undefined) return [];
    if (!isBelow(home, real)) return shownAt(named, real);
    throw new HitlError(
      'TOOL_FAILED',
      `\`sandboxReads\` includes ${named}, which contains your home directory`,
      {
        hint: 'list the folders in it that commands need',
      },
    );
  });
}

async function hiddenPlaces(hidden: readonly string[]): Promise<readonly Mount[]> {
  return (await existing(hidden)).map(({ path, isFile }) => ({ path, kind: isFile ? 'nothing' : 'empty' }));
}

/** Returns the paths that are not inside any of the others. */
function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isBelow(path, other)));
}

/**
 * Returns mounts for the folders between the working directory and a path. Folders that are mount points
 * cannot be renamed and replaced.
 */
function held(inner: string, workspace: string): readonly Mount[] {
  const parent = path.dirname(inner);
  if (inner === workspace || !isBelow(inner, workspace) || parent === workspace) return [];
  return [...held(parent, workspace), { path: parent, kind: 'writable' }];
}

/**
 * Finds listening sockets of other programs in a folder, using the kernel's table. A socket that was bound by
 * a relative name is looked up in the folder itself. Sockets must be hidden because a read-only file system
 * does not prevent connections to them.
 */
async function socketsIn(folder: string): Promise<readonly string[]> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  const names = table.split('\n').flatMap((line) => /^(?:\S+ +){6}\S+ ([^@].*)$/u.exec(line)?.[1] ?? []);
  const paths = new Set(names.map((name) => path.resolve(folder, name)));
  const inside = [...paths].filter((name) => isBelow(name, folder));
  const sockets = await Promise.all(inside.map(isSocket));
  return inside.filter((_, index) => sockets[index]);
}

async function isSocket(file: string): Promise<boolean> {
  return lstat(file).then(
    (at) => at.isSocket(),
    () => false, // Its program has ended.
  );
}
