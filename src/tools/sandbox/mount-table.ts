/** A line of `/proc/self/mountinfo`. Paths are as the kernel writes them, with escapes. */
export interface MountPoint {
  readonly id: string;
  readonly parent: string;
  readonly path: string;
}

/** Reads what is mounted. */
export function mountPoints(mountinfo: string): readonly MountPoint[] {
  return mountinfo
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', parent = '', , , path = ''] = line.split(' ');
      return { id, parent, path };
    });
}

/** The mounts that a path can lead to: others lie below one that was mounted over them. */
export function reachable(mounts: readonly MountPoint[]): readonly MountPoint[] {
  const ids = new Set(mounts.map(({ id }) => id));
  const root = mounts.find(({ parent }) => !ids.has(parent));
  return root === undefined ? [] : mounts.filter((mount) => leadsTo(mount.path, root, mounts) === mount);
}

/** Walks down a path as the kernel does: at each folder to what is mounted there. */
function leadsTo(path: string, root: MountPoint, mounts: readonly MountPoint[]): MountPoint {
  let current = root;
  for (;;) {
    const next = mounts
      .filter((mount) => mount.parent === current.id && mount !== current && holds(mount.path, path))
      .sort((left, right) => left.path.length - right.path.length)[0];
    if (next === undefined) return current;
    current = next;
  }
}

/** True where a path, written as the kernel does, is a folder or lies in it. */
export function holds(folder: string, path: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** A path as the kernel writes it in its table, and as `mount` reads it in one. */
export function escapedPath(path: string): string {
  return path.replace(
    /[ \t\n\\#]/gu,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}
