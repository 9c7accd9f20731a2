// Invariants:
// A1 A program of a person's own configuration is run with arguments, never by a shell, in a neutral folder, and none of
//    its files is one that the session works on (ADR 55).
// A2 It has answered when it exits: what it leaves running keeps its output open, and is not waited for. What is read is
//    bounded.
import type { ChildProcess } from 'node:child_process';
import { errnoOf, messageOf } from '../../src/core/index.js';
import type { ProgramKind } from '../../src/programs/index.js';
import { ownEnvironment, startProgram } from '../../src/programs/index.js';
import type { Io } from '../host/index.js';
import { trustedWords } from '../trust/trust.js';

/** A program to run, with its input and limits. */
export interface AskedProgram {
  readonly kind: ProgramKind;
  /** Name of the setting that specifies the program, for errors: `` `reviewer` ``. */
  readonly setting: string;
  readonly words: readonly string[];
  /** The text to send to the program's standard input. */
  readonly input: string;
  /** Time after which the program is killed, in milliseconds. */
  readonly patienceMs: number;
  /** Maximum length of the output, in characters. A program that prints more is killed. */
  readonly most: number;
}

/** The answer of a program, or the reason that it did not run. */
export type ProgramAnswer =
  | {
      readonly type: 'exited';
      readonly printed: string;
      readonly status: number | null;
      /** The signal that ended the program, if any. */
      readonly by: NodeJS.Signals | null;
      readonly isTooLong: boolean;
      /**
       * Whether hitl killed the program, because it was too slow, printed too much or was no longer needed.
       */
      readonly wasKilled: boolean;
    }
  | { readonly type: 'not-run'; readonly why: string };

/** Runs a program, and returns what it prints to standard output before it exits. Never rejects. */
export async function answerOfProgram(
  io: Pick<Io, 'env' | 'home' | 'cwd'>,
  { kind, setting, words, input, patienceMs, most }: AskedProgram,
  signal: AbortSignal = new AbortController().signal,
): Promise<ProgramAnswer> {
  const [program = '', ...args] = words;
  let child: ChildProcess;
  try {
    const looked = await trustedWords(io, setting, words);
    signal.throwIfAborted();
    child = startProgram(
      kind,
      { program, args, place: io, env: ownEnvironment(io.env, io), ...looked },
      { timeout: patienceMs, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'ignore'] },
    );
  } catch (thrown) {
    return { type: 'not-run', why: errnoOf(thrown) ?? messageOf(thrown) };
  }
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  child.stdin?.on('error', () => undefined); // it reads nothing
  child.stdin?.end(input);
  return new Promise((resolve) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.length > most) kill();
    });
    child.once('error', (error) => {
      resolve({ type: 'not-run', why: errnoOf(error) ?? 'unknown' });
    });
    child.once('exit', (status, by) => {
      const end = (): void => {
        signal.removeEventListener('abort', kill);
        child.stdout?.destroy();
        const isTooLong = printed.length > most;
        resolve({ type: 'exited', printed, status, by, isTooLong, wasKilled: child.killed });
      };
      child.once('close', end);
      afterReading(end);
    });
  });
}

/**
 * Calls back after all available output has been read. Output that was printed before an exit may still be in
 * the pipe.
 */
function afterReading(call: () => void): void {
  setImmediate(() => {
    setImmediate(call);
  });
}
