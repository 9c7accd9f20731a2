import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Access to one folder's entries that concurrent renames and links cannot redirect. */
export interface Anchor {
  /** The current path of an entry for the system. */
  at(name: string): string;
  /** The current path of the folder for the system. */
  readonly self: string;
  /** Number of the folder among this process's open files, if descriptors are used. */
  readonly descriptor: number | undefined;
  /** Opens a subfolder, never through a link. Throws Node's errors, and `EMOVED` for a link. */
  child(name: string): Promise<Anchor>;
  /** Throws `EMOVED` if the folder's path has changed. */
  verify(): Promise<void>;
  /** Throws `EMOVED` if an open file is not the entry with this name. */
  confirm(name: string, handle: FileHandle): Promise<void>;
  close(): Promise<void>;
}

/** Numbers that identify an existing file. */
type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

/** Whether two results are for the same file. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Whether it is the same file with the same content, or as before there is none. */
export function isUnchanged(before: BigIntStats | undefined, now: BigIntStats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return (
    isSame(before, now) &&
    before.size === now.size &&
    before.mtimeNs === now.mtimeNs &&
    before.ctimeNs === now.ctimeNs
  );
}

/** The error of a path that no longer leads where it did when it was checked. */
export function moved(path: string): Error {
  return withCode('EMOVED', `${path} leads elsewhere now`);
}

/** Creates an error with a code, like a system error. */
export function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
