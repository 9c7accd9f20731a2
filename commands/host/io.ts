import { fstatSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import type { Clock, Shown } from '../../src/core/index.js';
import { correctedClock, HitlError } from '../../src/core/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { homedir } from 'node:os';

/** A stream of the process. */
export type ShownStream = Omit<NodeJS.WriteStream, 'write'> & { write(text: Shown): boolean };

/** Everything of the process that a command may touch; tests give their own. */
export interface Io {
  readonly stdin: ReadStream;
  readonly stdout: ShownStream;
  readonly stderr: ShownStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly pid: number;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** The same place, for somebody who says that plain lines are wanted: `--accessible`. */
export function accessible(io: Io): Io {
  return withEnv(io, { HITL_ACCESSIBLE: '1' });
}

/** The same place with more in its environment. */
export function withEnv(io: Io, more: Io['env']): Io {
  return placeLike(io, { env: { ...io.env, ...more } });
}

/** The same place with other outputs. */
export function withOutputs(io: Io, outputs: Pick<Io, 'stdout' | 'stderr'>): Io {
  return placeLike(io, { outputs });
}

function placeLike(
  io: Io,
  { env = io.env, outputs = io }: { env?: Io['env']; outputs?: Pick<Io, 'stdout' | 'stderr'> },
): Io {
  const { cwd, home, pid, clock, random } = io;
  return {
    get stdin() {
      return io.stdin;
    },
    get stdout() {
      return outputs.stdout;
    },
    get stderr() {
      return outputs.stderr;
    },
    ...{ env, cwd, home, pid, clock, random },
  };
}

/** The user's home folder; empty where the system knows none. */
export function homeHere(): string {
  try {
    return homedir();
  } catch {
    return ''; // `HOME` is longer than the system takes
  }
}

/** The process as it is. Each of its streams is opened when it is used first: a pipe takes milliseconds to open. */
export function processIo(): Io {
  const { env, pid } = process;
  return {
    get stdin() {
      refuseFolder();
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    env,
    pid,
    cwd: process.cwd(),
    home: homeHere(),
    clock: correctedClock(systemClock),
    random: Math.random,
  };
}

/** Node takes a folder for an input that has ended. @throws HitlError BAD_INPUT */
function refuseFolder(): void {
  if (!isFolder(0)) return;
  throw new HitlError('BAD_INPUT', 'stdin is a folder', { hint: 'pipe a file in, or < /dev/null' });
}

function isFolder(fd: number): boolean {
  try {
    return fstatSync(fd).isDirectory();
  } catch {
    return false; // it is closed: reading it says so
  }
}
