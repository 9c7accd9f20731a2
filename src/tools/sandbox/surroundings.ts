import { HitlError } from '../../core/index.js';

import { isBelow } from '../../files/index.js';
import { existing, exposedSockets, realPlace } from './existing.js';
import type { Layout, Mount } from './layout.js';
import { enclosing, isEmptied, layoutOf } from './layout.js';
import { repositoryParts } from './repository.js';
import { secretPlaces } from './secret-places.js';

/** The facts that a sandbox is made from. Paths are absolute. */
export interface Surroundings {
  /** The working directory. */
  readonly workspace: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folders where the program keeps its own: sessions, what is trusted, keys. */
  readonly hidden: readonly string[];
  /** The paths that commands must not change, though they lie in the working directory. */
  readonly readOnly: readonly string[];
}

/** Folders in which programs leave files and sockets for each other. */
const SHARED: readonly string[] = ['/tmp', '/var/tmp', '/run', '/var/run'];

/** True where commands may write to the working directory: not where it is the home directory, or holds it. */
export async function isWritable({ workspace, home }: Surroundings): Promise<boolean> {
  const [root, person] = await Promise.all([realPlace(workspace), realPlace(home)]);
  return !isBelow(person?.path ?? home, root?.path ?? workspace);
}

/**
 * Surveys what a command sees that runs in a folder of this system.
 * @throws HitlError TOOL_FAILED where the working directory lies in a folder that commands must not see.
 */
export async function survey(around: Surroundings, cwd: string, network: boolean): Promise<Layout> {
  const workspace = (await realPlace(around.workspace))?.path ?? around.workspace;
  const own = await existing(around.hidden);
  refuseWithin(workspace, own);
  const covers = (await existing(SHARED)).map(({ path }): Mount => ({ path, kind: 'fresh' }));
  const secrets = await existing(secretPlaces(around.home, around.env));
  const hidden = [
    ...own,
    // Whoever works in such a folder wants its files.
    ...secrets.filter(({ path }) => !isBelow(workspace, path)),
    ...(await exposedSockets(covers.map(({ path }) => path))),
  ];
  const writable = await isWritable(around);
  const repository = writable ? await repositoryParts(workspace) : [];
  const kept = [...repository, ...(await existing(around.readOnly))];
  // What stands in a shared folder is covered with it.
  const wanted = [
    ...(writable ? [] : await existing([workspace])),
    ...(isBelow(cwd, workspace) ? [] : await existing([cwd])),
    ...(network ? await existing(['/etc/resolv.conf']) : []),
  ].filter((place) => isEmptied(enclosing(place, covers)));
  return layoutOf([
    ...covers,
    ...hidden.map(({ path, isFile }): Mount => ({ path, kind: isFile ? 'nothing' : 'empty' })),
    ...wanted.map((place): Mount => ({ ...place, kind: 'read-only' })),
    ...(writable ? [{ path: workspace, kind: 'writable' } as const] : []),
    ...kept
      .filter(({ path }) => writable && isBelow(path, workspace))
      .map((place): Mount => ({ ...place, kind: 'read-only' })),
    ...(writable ? [...own, ...kept] : []).flatMap(({ path }) => held(path, workspace)),
  ]);
}

function refuseWithin(workspace: string, own: readonly { readonly path: string }[]): void {
  const outer = own.find(({ path }) => isBelow(workspace, path));
  if (outer === undefined) return;
  throw new HitlError('TOOL_FAILED', `${workspace} lies in ${outer.path}, which commands must not see`, {
    hint: 'work in another folder, or without a sandbox: --sandbox off',
  });
}

/** The folders between: as mounts of their own they cannot be renamed, and another put in their place. */
function held(inner: string, workspace: string): readonly Mount[] {
  const parent = inner.slice(0, inner.lastIndexOf('/'));
  if (inner === workspace || !isBelow(inner, workspace) || parent === workspace) return [];
  return [...held(parent, workspace), { path: parent, kind: 'writable' }];
}
