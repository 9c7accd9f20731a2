import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Access to one folder's entries that concurrent renames and links cannot redirect. */
export interface Anchor {
  /** Returns the path to use for an entry in system calls. */
  at(name: string): string;
  /** The path to use for the folder in system calls. */
  readonly self: string;
  /** The folder's file descriptor; `undefined` if the system has no paths for descriptors. */
  readonly descriptor: number | undefined;
  /** Opens a subfolder without following links. Throws Node's errors, and `EMOVED` for a link. */
  child(name: string): Promise<Anchor>;
  /** Throws `EMOVED` if the folder's path has changed. */
  verify(): Promise<void>;
  /** Throws `EMOVED` if an open file is not the entry with this name. */
  confirm(name: string, handle: FileHandle): Promise<void>;
  close(): Promise<void>;
}

/** The device and inode numbers that identify a file. */
type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

/** Whether two stat results refer to the same file. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Whether a file has not changed, or is still missing. */
export function isUnchanged(before: BigIntStats | undefined, now: BigIntStats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return (
    isSame(before, now) &&
    before.size === now.size &&
    before.mtimeNs === now.mtimeNs &&
    before.ctimeNs === now.ctimeNs
  );
}

/** Creates the error for a path that no longer leads to the location that was checked. */
export function moved(path: string): Error {
  return withCode('EMOVED', `${path} leads elsewhere now`);
}

/** Creates an error with a code, like Node's system errors. */
export function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
