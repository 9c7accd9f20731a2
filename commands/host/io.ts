import { fstatSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import type { Clock, Shown } from '../../src/core/index.js';
import { correctedClock, HitlError } from '../../src/core/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { homedir } from 'node:os';

/** A standard stream that accepts only safe text. */
export type ShownStream = Omit<NodeJS.WriteStream, 'write'> & { write(text: Shown): boolean };

/** The parts of the process that a command may use. Tests supply their own. */
export interface Io {
  readonly stdin: ReadStream;
  readonly stdout: ShownStream;
  readonly stderr: ShownStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly pid: number;
  readonly clock: Clock;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** Returns an `Io` that uses plain lines, as for `--accessible`. */
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

/** Returns an `Io` with a different working directory. */
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

/** Returns the user's home folder; empty if unknown. */
export function homeHere(): string {
  try {
    return homedir();
  } catch {
    return ''; // `HOME` is longer than the system takes
  }
}

/**
 * Returns the `Io` of the real process. Each stream is opened on first use, because opening a pipe takes
 * milliseconds.
 */
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
 * Reserves stdout for a protocol. From then on, anything else written to stdout, such as logs from a tool
 * module, goes to stderr.
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

/** Rejects a folder as stdin, because Node treats it as empty input. @throws HitlError BAD_INPUT */
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
