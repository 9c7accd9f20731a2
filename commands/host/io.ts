import { fstatSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import type { Clock, Shown } from '../../src/core/index.js';
import { correctedClock, HitlError } from '../../src/core/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { homedir } from 'node:os';

/** A stream of the process. */
export type ShownStream = Omit<NodeJS.WriteStream, 'write'> & { write(text: Shown): boolean };

/** Everything of the process that a command may touch; tests supply their own. */
export interface Io {
  readonly stdin: ReadStream;
  readonly stdout: ShownStream;
  readonly stderr: ShownStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly pid: number;
  readonly clock: Clock;
  /** From 0 (inclusive) to 1. */
  readonly random: () => number;
}

/** Selects plain lines: `--accessible`. */
export function accessible(io: Io): Io {
  return withEnv(io, { HITL_ACCESSIBLE: '1' });
}

/** Extends the environment. */
export function withEnv(io: Io, more: Io['env']): Io {
  return placeLike(io, { env: { ...io.env, ...more } });
}

/** Replaces the outputs. */
export function withOutputs(io: Io, outputs: Pick<Io, 'stdout' | 'stderr'>): Io {
  return placeLike(io, { outputs });
}

/** Replaces the working directory. */
export function inFolder(io: Io, cwd: string): Io {
  return placeLike(io, { cwd });
}

function placeLike(
  io: Io,
  {
    env = io.env,
    outputs = io,
    cwd = io.cwd,
  }: { env?: Io['env']; outputs?: Pick<Io, 'stdout' | 'stderr'>; cwd?: string },
): Io {
  const { home, pid, clock, random } = io;
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

/** The user's home folder; empty if unknown. */
export function homeHere(): string {
  try {
    return homedir();
  } catch {
    return ''; // `HOME` is longer than the system takes
  }
}

/** Returns the real process. Opens each stream at first use: opening a pipe takes milliseconds. */
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

/**
 * Keeps stdout for a protocol: whatever else writes there from now on, such as a tool module that logs, goes to stderr.
 */
export function protocolOutput(): WritableStream<Uint8Array> {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new WritableStream({
    write: (bytes) =>
      new Promise<void>((resolve, reject) => {
        write(bytes, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(error);
        });
      }),
  });
}

/** Node takes a folder for an ended input. @throws HitlError BAD_INPUT */
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
