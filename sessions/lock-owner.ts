import fs from 'node:fs';

import type { LockOwner } from '../src/core/index.js';
import { errnoOf, isJsonObject } from '../src/core/index.js';

/** Information about the processes on this machine, for locks. */
export interface ProcessTable {
  /** This process's id. */
  readonly pid: number;
  readonly host: string;
  /** The user id of this process; `undefined` on systems without user ids. */
  readonly user?: number | undefined;
  /** Returns the boot id; `undefined` if the system has none. */
  boot(): string | undefined;
  /** Returns a process's start time; `undefined` if the process does not exist or the time is unavailable. */
  started(pid: number): string | undefined;
  exists(pid: number): boolean;
}

function textOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined; // no /proc on this system
  }
}

/**
 * Returns field 22 of `/proc/<pid>/stat`, the start time. The process name in an earlier field may contain
 * spaces and parentheses.
 */
function startOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function answersSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** Returns the process table of this machine. */
export function systemProcesses(host: string): ProcessTable {
  return {
    pid: process.pid,
    host,
    user: process.geteuid?.(),
    boot: () => textOf('/proc/sys/kernel/random/boot_id')?.trim(),
    started: startOf,
    exists: answersSignal,
  };
}

/** Returns a lock owner that represents this process. */
export function ownerHere(processes: ProcessTable, since: string): LockOwner {
  const { pid, host } = processes;
  const started = processes.started(pid);
  const boot = processes.boot();
  return { pid, host, since, ...(started !== undefined && { started }), ...(boot !== undefined && { boot }) };
}

/** Whether the owner of a lock is still running; `undefined` if that cannot be determined. */
export function isOwnerAlive(owner: LockOwner, processes: ProcessTable): boolean | undefined {
  if (owner.host !== processes.host) return undefined;
  const boot = processes.boot();
  if (owner.boot !== undefined && boot !== undefined && owner.boot !== boot) return false;
  if (!processes.exists(owner.pid)) return false;
  const started = processes.started(owner.pid);
  return owner.started === undefined || started === undefined || owner.started === started;
}

function isOwner(value: unknown): value is LockOwner {
  if (!isJsonObject(value)) return false;
  const { pid, host, since } = value;
  return typeof pid === 'number' && typeof host === 'string' && typeof since === 'string';
}

/** Parses the owner from the text of a lock file; `undefined` if the text is empty or not in our format. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined; // empty: the lock is free, or was taken this very moment
  }
}
