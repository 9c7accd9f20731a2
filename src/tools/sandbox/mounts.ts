import path from 'node:path';

import { isBelow } from '../../files/index.js';

/** A file system entry that a command sees. */
export type Mount = Empty | Shown | Link;

interface Empty {
  readonly path: string;
  /** `fresh`: an empty writable folder; `empty`: an empty folder; `nothing`: an empty file. */
  readonly kind: 'fresh' | 'empty' | 'nothing';
}

/** An entry from outside the sandbox, which appears at the same path or at a different one. */
interface Shown {
  readonly path: string;
  readonly kind: 'writable' | 'read-only';
  /** Path outside the sandbox. Default: the same path. */
  readonly from?: string;
}

interface Link {
  readonly path: string;
  readonly kind: 'link';
  readonly to: string;
}

/** The file system of a command: an empty root with these mounts, outer folders first. */
export type Layout = readonly Mount[];

/** Priority of mounts at the same path, highest first. */
const STRENGTH: readonly Mount['kind'][] = ['fresh', 'empty', 'nothing', 'read-only', 'writable', 'link'];

/**
 * Returns one mount per path, outer folders first. Mounts that hide an entry are omitted if the folder that
 * contains it is not visible.
 */
export function layoutOf(mounts: readonly Mount[]): Layout {
  const strongest = new Map<string, Mount>();
  for (const mount of mounts) {
    const other = strongest.get(mount.path);
    if (other === undefined || STRENGTH.indexOf(mount.kind) < STRENGTH.indexOf(other.kind))
      strongest.set(mount.path, mount);
  }
  const all = [...strongest.values()].sort((left, right) => depth(left) - depth(right));
  return all.filter(
    (mount) => (mount.kind !== 'empty' && mount.kind !== 'nothing') || isShown(enclosing(mount, all)),
  );
}

/** Whether a path leads to an entry from outside the sandbox. */
export function shows(layout: Layout, path: string): boolean {
  return isShown(layout.findLast((mount) => isBelow(path, mount.path)));
}

function isShown(mount: Mount | undefined): boolean {
  return mount?.kind === 'writable' || mount?.kind === 'read-only';
}

/** Returns the innermost other mount that contains the given one. */
function enclosing({ path: inner }: Mount, layout: Layout): Mount | undefined {
  return layout.findLast((outer) => outer.path !== inner && isBelow(inner, outer.path));
}

function depth({ path: absolute }: Mount): number {
  return absolute.split(path.sep).filter((part) => part !== '').length;
}
