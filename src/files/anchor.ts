import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** The way to the entries of one folder: nobody who renames and links meanwhile leads it elsewhere. */
export interface Anchor {
  /** The path by which the system finds an entry now. */
  at(name: string): string;
  /** The path by which the system finds the folder itself. */
  readonly self: string;
  /** The number of the folder among the open files of this process, where the way goes by such. */
  readonly descriptor: number | undefined;
  /** A folder in it; never what a link leads to. Throws Node's errors, and `EMOVED` for a link. */
  child(name: string): Promise<Anchor>;
  /** Throws `EMOVED` where the way to the folder is not what it was. */
  verify(): Promise<void>;
  /** Throws `EMOVED` where an open file is not the entry of that name. */
  confirm(name: string, handle: FileHandle): Promise<void>;
  close(): Promise<void>;
}

/** The numbers that tell one file from every other, as long as it exists. */
type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

/** True for two looks at one and the same file. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** The error of a path that leads elsewhere than when it was checked. */
export function moved(path: string): Error {
  return withCode('EMOVED', `${path} leads elsewhere now`);
}

/** An error with a code, as those of the system have one. */
export function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
