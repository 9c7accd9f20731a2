import os from 'node:os';

import type { Clock, SessionId } from '../../src/core/index.js';
import type { FileSystem } from '../disk/file-system.js';
import { nodeFileSystem } from '../disk/file-system.js';
import type { LockHelper } from '../lock.js';
import type { ProcessTable } from '../lock-owner.js';
import { LOCK_HELPERS } from '../lock.js';
import { systemProcesses } from '../lock-owner.js';
import type { Owner } from '../seal/authorship.js';
import { Ends } from '../seal/ends.js';
import { Seal } from '../seal/record-seal.js';
import type { FormatStep } from '../format/format-steps.js';
import { FORMAT_STEPS } from '../format/format-steps.js';

/** Options for a disk store. */
export interface FileStoreOptions {
  /** The folder that contains all sessions. Created with mode 0700 if missing. */
  readonly root: string;
  readonly clock: Clock;
  /** Returns unpredictable bytes: `randomBytes` of `node:crypto`. */
  readonly random: (size: number) => Uint8Array;
  /**
   * The name and version of the program. Snapshots written by a different version are ignored. Default: none.
   */
  readonly program?: string;
  /**
   * Returns the user's 32-byte key. Called once, when the first session is opened. Every written record has a
   * MAC made with the key. Records without such a MAC are displayed, but approvals in them must be given
   * again. Without a key, all records are accepted as they are. Default: none.
   */
  readonly key?: () => Uint8Array;
  /**
   * A folder, next to the key, in which the end of each session is recorded, to detect a session whose last
   * records have been removed. Created if missing. Without this folder, missing records are not detected.
   * Default: none.
   */
  readonly ends?: string;
  /** The file system. Default: this machine's disk. */
  readonly fs?: FileSystem;
  /**
   * Default: `flock(1)`, or perl if `flock(1)` is not available. Without a working helper, nothing is
   * written.
   */
  readonly lockHelpers?: readonly LockHelper[];
  /** Default: this machine's processes. */
  readonly processes?: ProcessTable;
  /** Steps that convert lines in older formats. Default: the steps of this version. */
  readonly formatSteps?: readonly FormatStep[];
}

/** The options, with defaults filled in. */
export interface StoreContext {
  readonly root: string;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly program: string;
  /**
   * Returns the owner of a session, which distinguishes records made with the store's key from all others;
   * `undefined` without a key.
   */
  readonly owner: (id: SessionId) => Owner | undefined;
  /** Whether records are signed. */
  readonly signs: boolean;
  /** The recorded ends of the sessions in this store, if enabled. */
  readonly ends: Ends | undefined;
  readonly fs: FileSystem;
  readonly helpers: readonly LockHelper[];
  readonly processes: ProcessTable;
  readonly steps: readonly FormatStep[];
  readonly now: () => number;
}

/** Fills in the defaults. */
export function storeContext(options: FileStoreOptions): StoreContext {
  const { root, clock, random, fs = nodeFileSystem() } = options;
  return {
    root,
    clock,
    random,
    program: options.program ?? '',
    owner: ownersOf(options.key),
    signs: options.key !== undefined,
    ends: options.ends === undefined ? undefined : new Ends({ fs, root, random, folder: options.ends }),
    fs,
    helpers: options.lockHelpers ?? LOCK_HELPERS,
    processes: options.processes ?? systemProcesses(os.hostname()),
    steps: options.formatSteps ?? FORMAT_STEPS,
    now: () => clock.now(),
  };
}

/**
 * Returns a function that returns the owner of a session. The store's key is read once, when it is first
 * needed.
 */
export function ownersOf(key: (() => Uint8Array) | undefined): (id: SessionId) => Owner | undefined {
  let seal: Seal | undefined;
  if (key === undefined) return () => undefined;
  return (id) => ({ id, seal: (seal ??= new Seal(key())) });
}
