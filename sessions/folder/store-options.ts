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

/** The options of a store of sessions on disk. */
export interface FileStoreOptions {
  /** The folder of all sessions; created with mode 0700 if missing. */
  readonly root: string;
  readonly clock: Clock;
  /** Unpredictable bytes: `randomBytes` of `node:crypto`. */
  readonly random: (size: number) => Uint8Array;
  /** The program's name and version; snapshots of another version are ignored. Default: none. */
  readonly program?: string;
  /**
   * The user's key, 32 bytes, requested once, when the first session is opened. Every written record has a MAC made
   * with it; foreign records are shown, and approvals in them are asked again. Default: none; no record is foreign
   * then.
   */
  readonly key?: () => Uint8Array;
  /**
   * A folder next to the key that records the end of each session, to detect a session that reappears without its
   * last records. Created if missing. Default: none, without detection.
   */
  readonly ends?: string;
  /** Default: this machine's disk. */
  readonly fs?: FileSystem;
  /** Default: `flock(1)`, else perl. Without a working one, nothing is written. */
  readonly lockHelpers?: readonly LockHelper[];
  /** Default: this machine's processes. */
  readonly processes?: ProcessTable;
  /** Steps that update lines of older formats. Default: those of this version. */
  readonly formatSteps?: readonly FormatStep[];
}

/** The options with every default filled in. */
export interface StoreContext {
  readonly root: string;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly program: string;
  /** Returns what distinguishes a session's own records from foreign ones; `undefined` without a key. */
  readonly owner: (id: SessionId) => Owner | undefined;
  /** Whether records are signed. */
  readonly signs: boolean;
  /** Recorded ends of its sessions, if enabled. */
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

/** Returns the owner of each session for a store's key, which is read once. */
export function ownersOf(key: (() => Uint8Array) | undefined): (id: SessionId) => Owner | undefined {
  let seal: Seal | undefined;
  if (key === undefined) return () => undefined;
  return (id) => ({ id, seal: (seal ??= new Seal(key())) });
}
