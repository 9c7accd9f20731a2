import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';

import { startProgram } from '../../programs/index.js';

/** The number of the open file from which bubblewrap reads a filter of system calls. */
export const FILTER = 5;

/** System program folders; a search path may lead into the project. */
const FOLDERS: readonly string[] = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Returns a system program's absolute path; `undefined` if there is none. */
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

/** Time limit of a trial, in milliseconds. */
const TRIAL_MS = 5_000;

/** Whether a program runs here and exits with status 0, in an environment without user data. */
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

/** The files before the one that a filter is read from. */
const FILTERLESS = Array.from({ length: FILTER }, () => 'ignore' as const);

/** Sends a filter of system calls to the program that reads it. */
export function sendFilter(child: ChildProcess, filter: Uint8Array): void {
  const line = [...child.stdio][FILTER];
  if (!(line instanceof Writable)) return;
  line.on('error', () => undefined); // it has ended, and says so by its status
  line.end(filter);
}

/** A program with arguments. */
export interface Invocation {
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
}
