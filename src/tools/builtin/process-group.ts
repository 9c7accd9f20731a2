import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

import type { Clock } from '../../core/index.js';
import { errnoOf, HitlError } from '../../core/index.js';
import type { Folder } from '../../files/index.js';
import type { CoveredFiles } from '../../programs/index.js';
import { startProgram, withoutOurFiles } from '../../programs/index.js';
import { sendFilter } from '../sandbox/system-program.js';

import { THROUGH_FOLDER } from './command-door.js';

// Invariants:
// C1 The program leads a process group of its own, and nothing of that group is left when `runGroup` settles.
// C2 Both streams are one pipe, so what was printed keeps its order.
// C3 Standard input is empty: a program that asks gets an end of file, not our terminal. No other file of ours is open.

/**
 * How long to wait after SIGTERM before a process group is killed, in milliseconds. Shorter than the 2 s that
 * the engine waits.
 */
const TERM_GRACE_MS = 500;
/** How long to wait for remaining output after the program has ended, in milliseconds. */
const DRAIN_MS = 250;

export interface GroupOptions {
  /** Absolute path to the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The open folder at `cwd`. If set, the program starts in this folder, which was checked. */
  readonly folder?: Folder;
  /** System call filter to pass to the sandbox that the program starts. */
  readonly filter?: Uint8Array;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onText: (text: string) => void;
  /** Called when the wrapped command is about to start. */
  readonly onBegin?: () => void;
}

export interface GroupEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Whether processes were still running after the program ended, and were killed. */
  readonly leftOver: boolean;
  /** Process group ID: the PID of the group's first process. */
  readonly group: number;
}

/**
 * Runs a program until it ends, times out, or the signal aborts.
 * @throws the abort reason of the signal; HitlError TOOL_FAILED if the program cannot be started.
 */
export async function runGroup(options: GroupOptions, signal: AbortSignal): Promise<GroupEnd> {
  signal.throwIfAborted();
  const child = start(options);
  const ended = endOf(child);
  const line = child.stdio[4];
  const closed = Promise.all([readAll(child, options.onText), hearBeginning(line, options.onBegin)]);
  const stopped = new AbortController();
  try {
    const scope = AbortSignal.any([signal, stopped.signal]);
    const late = options.clock.sleep(options.timeoutMs, scope).then(
      () => 'late' as const,
      () => 'aborted' as const,
    );
    const first = await Promise.race([ended.then(() => 'ended' as const), late]);
    if (first === 'ended') {
      const leftOver = await drain(child, closed, options.clock);
      return { ...(await ended), timedOut: false, leftOver, group: child.pid ?? 0 };
    }
    await endGroup(child, ended, options.clock);
    if (first === 'aborted') signal.throwIfAborted();
    return { ...(await ended), timedOut: true, leftOver: false, group: child.pid ?? 0 };
  } finally {
    stopped.abort();
    child.stdout?.destroy();
    line?.destroy();
  }
}

function start({ program, args, cwd, folder, filter, env }: GroupOptions): ChildProcess {
  const child = withoutOurFiles((covered) =>
    // `exec` puts the program in the shell's place, with the error stream on the pipe of the other one (C2).
    startProgram(
      'command',
      {
        ...{ program: '/bin/sh', args: ['-c', 'exec "$@" 2>&1', 'sh', program, ...args], env },
        cwd: folder?.descriptor === undefined ? cwd : THROUGH_FOLDER,
      },
      {
        detached: true, // C1
        stdio: ['ignore', 'pipe', 'ignore', ...doorFiles(folder, covered, filter !== undefined)], // C3
      },
    ),
  );
  if (filter !== undefined) sendFilter(child, filter);
  return child;
}

/**
 * Returns the `stdio` entries after the first three: the gatekeeper's file descriptors, which are closed
 * before the command starts, and then the entries that cover hitl's other open files.
 */
function doorFiles(
  folder: Folder | undefined,
  covered: CoveredFiles,
  isFiltered: boolean,
): readonly DoorFile[] {
  if (folder === undefined) return covered;
  const door: readonly DoorFile[] = [folder.descriptor ?? covered[0] ?? 'ignore', 'pipe'];
  return [...door, ...(isFiltered ? (['pipe'] as const) : []), ...covered.slice(isFiltered ? 3 : 2)];
}

type DoorFile = CoveredFiles[number] | 'pipe';

/** Calls `onBegin` when the gatekeeper reports that the command starts. Resolves when the pipe closes. */
async function hearBeginning(line: ChildProcess['stdio'][4], onBegin?: () => void): Promise<void> {
  if (!(line instanceof Readable)) return;
  line.once('data', () => onBegin?.());
  await once(line, 'close');
}

async function endOf(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(
        new HitlError('TOOL_FAILED', `the command cannot be started: ${error.message}`, { cause: error }),
      );
    });
    child.once('exit', (exitCode, signal) => {
      resolve({ exitCode, signal });
    });
  });
}

async function readAll(child: ChildProcess, onText: (text: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      onText(decoder.write(chunk));
    });
    child.stdout?.once('close', () => {
      onText(decoder.end());
      resolve();
    });
    if (child.stdout === null) resolve();
  });
}

/**
 * Waits for the last output, then kills any remaining processes, because they could keep the pipe open
 * forever.
 */
async function drain(child: ChildProcess, closed: Promise<unknown>, clock: Clock): Promise<boolean> {
  await within(closed, DRAIN_MS, clock);
  if (!killGroup(child, 'SIGTERM')) return false;
  await within(closed, DRAIN_MS, clock);
  killGroup(child, 'SIGKILL');
  return true;
}

async function endGroup(child: ChildProcess, ended: Promise<unknown>, clock: Clock): Promise<void> {
  if (!killGroup(child, 'SIGTERM')) return;
  await within(ended, TERM_GRACE_MS, clock);
  killGroup(child, 'SIGKILL');
}

async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  const done = new AbortController();
  try {
    // The sleep ends by its abort; that is no failure.
    await Promise.race([work, clock.sleep(ms, done.signal).catch(() => undefined)]);
  } finally {
    done.abort();
  }
}

/**
 * Sends a signal to every process in a program's group. Returns false if no process is left that it may
 * signal.
 */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: what is left runs as another user, and is not ours to end.
    if (errnoOf(error) === 'ESRCH' || errnoOf(error) === 'EPERM') return false;
    throw error;
  }
}
