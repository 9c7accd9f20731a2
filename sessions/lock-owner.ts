import fs from 'node:fs';

import type { LockOwner } from '../src/core/index.js';
import { errnoOf, isJsonObject } from '../src/core/index.js';

/** Facts about this machine's processes for locks. */
export interface ProcessTable {
  /** Id of this process. */
  readonly pid: number;
  readonly host: string;
  /** User of this process; `undefined` on systems without user IDs. */
  readonly user?: number | undefined;
  /** Boot id; `undefined` if the system has none. */
  boot(): string | undefined;
  /** Returns a process's start time; `undefined` if it does not exist or this is unavailable. */
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

/** Reads field 22 of `/proc/<pid>/stat`; the name before it may contain spaces and brackets. */
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

/** Returns this machine's process table. */
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

/** The lock owner that this process is. */
export function ownerHere(processes: ProcessTable, since: string): LockOwner {
  const { pid, host } = processes;
  const started = processes.started(pid);
  const boot = processes.boot();
  return { pid, host, since, ...(started !== undefined && { started }), ...(boot !== undefined && { boot }) };
}

/** Whether an owner is still running; `undefined` if unknown. */
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

/** The owner that a lock file's text names; `undefined` for empty or foreign text. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined; // empty: the lock is free, or was taken this very moment
  }
}
