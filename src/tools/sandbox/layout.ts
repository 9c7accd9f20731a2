import path from 'node:path';

import { isBelow } from '../../files/index.js';

/** The mount at a path that is not simply read-only. */
export interface Mount {
  readonly path: string;
  /**
   * `fresh`: an empty folder to write in; `empty`: an empty folder; `nothing`: an empty file; `writable` and
   * `read-only`: what stands there outside.
   */
  readonly kind: 'fresh' | 'empty' | 'nothing' | 'writable' | 'read-only';
  /** Of what is shown: it is a file. Default: a folder. */
  readonly isFile?: boolean;
}

/** The file system that a command sees: all of it, read-only, but for these mounts, those of folders first. */
export type Layout = readonly Mount[];

/** Of several mounts at one path the first of these counts. */
const STRENGTH: readonly Mount['kind'][] = ['empty', 'nothing', 'fresh', 'read-only', 'writable'];

/**
 * Puts mounts in the order in which they are made, one for each path. What is hidden anyway, because a folder above it
 * is empty, needs no mount of its own; what is shown stays shown.
 */
export function layoutOf(mounts: readonly Mount[]): Layout {
  const strongest = new Map<string, Mount>();
  for (const mount of mounts) {
    const other = strongest.get(mount.path);
    if (other === undefined || STRENGTH.indexOf(mount.kind) < STRENGTH.indexOf(other.kind))
      strongest.set(mount.path, mount);
  }
  const all = [...strongest.values()].sort((left, right) => depth(left) - depth(right));
  return all.filter((mount) => isShown(mount) || !isEmptied(enclosing(mount, all)));
}

/** True where a mount shows what stands outside, and so needs its path to be there. */
export function isShown({ kind }: Mount): boolean {
  return kind === 'writable' || kind === 'read-only';
}

/** The deepest other mount that a path lies in. */
export function enclosing({ path: inner }: Pick<Mount, 'path'>, layout: Layout): Mount | undefined {
  return layout.findLast((outer) => outer.path !== inner && isBelow(inner, outer.path));
}

/** True where the folder is not what stands there outside. */
export function isEmptied(mount: Mount | undefined): boolean {
  return mount?.kind === 'fresh' || mount?.kind === 'empty';
}

function depth({ path: absolute }: Mount): number {
  return absolute.split(path.sep).filter((part) => part !== '').length;
}
