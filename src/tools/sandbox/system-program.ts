import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';

import { startProgram } from '../../programs/index.js';

/** File descriptor from which bubblewrap reads the system call filter. */
export const FILTER = 5;

/**
 * Folders to search for system programs. The user's search path is not used, because it may lead into the
 * project.
 */
const FOLDERS: readonly string[] = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Returns the absolute path to a system program, or `undefined` if it is not found. */
export async function systemProgram(name: string): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const candidate = path.join(folder, name);
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}

/** Whether a file is executable. */
export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // Not there or not ours to run: the next folder may have it.
  }
}

/** Time limit for a trial run, in milliseconds. */
const TRIAL_MS = 5_000;

/** Whether a program runs on this system and exits with status 0, in an environment without user data. */
export async function canSucceed({ program, args }: Invocation, filter?: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const trial = startProgram(
      'sandbox-trial',
      { program, args, env: { PATH: '/usr/bin:/bin' } },
      {
        stdio: [...FILTERLESS, filter === undefined ? 'ignore' : 'pipe'],
        ...{ timeout: TRIAL_MS, killSignal: 'SIGKILL' },
      },
    );
    if (filter !== undefined) sendFilter(trial, filter);
    trial.once('error', () => {
      resolve(false);
    });
    trial.once('exit', (status) => {
      resolve(status === 0);
    });
  });
}

/** Placeholders for the file descriptors before that of the filter. */
const FILTERLESS = Array.from({ length: FILTER }, () => 'ignore' as const);

/** Sends a system call filter to a program through the file descriptor that it reads. */
export function sendFilter(child: ChildProcess, filter: Uint8Array): void {
  const line = [...child.stdio][FILTER];
  if (!(line instanceof Writable)) return;
  line.on('error', () => undefined); // it has ended, and says so by its status
  line.end(filter);
}

/** A program and its arguments. */
export interface Invocation {
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
}
