import path from 'node:path';

import { isBelow } from '../../files/index.js';

/** An entry of the file system that a command sees. */
export type Mount = Empty | Shown | Link;

interface Empty {
  readonly path: string;
  /** `fresh`: an empty writable folder; `empty`: an empty folder; `nothing`: an empty file. */
  readonly kind: 'fresh' | 'empty' | 'nothing';
}

/** Something from outside, at the same or another path. */
interface Shown {
  readonly path: string;
  readonly kind: 'writable' | 'read-only';
  /** Default: the same path. */
  readonly from?: string;
}

interface Link {
  readonly path: string;
  readonly kind: 'link';
  readonly to: string;
}

/** A command's file system: an empty root with these mounts, outer folders first. */
export type Layout = readonly Mount[];

/** Of several mounts at one path, the first of these wins. */
const STRENGTH: readonly Mount['kind'][] = ['fresh', 'empty', 'nothing', 'read-only', 'writable', 'link'];

/** Orders mounts by creation, one per path. Only contents of a visible folder need hiding. */
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

/** Whether a path leads to an outside entry. */
export function shows(layout: Layout, path: string): boolean {
  return isShown(layout.findLast((mount) => isBelow(path, mount.path)));
}

function isShown(mount: Mount | undefined): boolean {
  return mount?.kind === 'writable' || mount?.kind === 'read-only';
}

/** Returns the deepest other mount that contains a path. */
function enclosing({ path: inner }: Mount, layout: Layout): Mount | undefined {
  return layout.findLast((outer) => outer.path !== inner && isBelow(inner, outer.path));
}

function depth({ path: absolute }: Mount): number {
  return absolute.split(path.sep).filter((part) => part !== '').length;
}
