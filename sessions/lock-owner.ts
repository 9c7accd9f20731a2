import fs from 'node:fs';

import type { LockOwner } from '../src/core/index.js';
import { errnoOf, isJsonObject } from '../src/core/index.js';

/** The processes of this machine, as far as locks need to know them. */
export interface ProcessTable {
  /** This process, or `undefined` parts where the system does not tell. */
  readonly pid: number;
  readonly host: string;
  /** The user of this process; `undefined` where the system has no user IDs. */
  readonly user?: number | undefined;
  /** The boot id; `undefined` where the system has none. */
  boot(): string | undefined;
  /** When a process started; `undefined` where there is no such process or the system does not tell. */
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

/** Field 22 of `/proc/<pid>/stat`; the name before it may hold spaces and brackets. */
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

/** The processes of this machine. */
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

/** Whether an owner still runs; `undefined` where that cannot be known from here. */
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

/** The owner that the text of a lock file names; `undefined` for empty or foreign text. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined; // empty: the lock is free, or was taken this very moment
  }
}
