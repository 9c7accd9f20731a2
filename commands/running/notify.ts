// Invariants:
// N1 The command is run as a program with arguments, never by a shell; what asks reaches its standard input and no argument.
// N2 It changes nothing of the session and nothing of the status: a question that nobody was told of is open all the same.
import { spawn } from 'node:child_process';
import type { Interrupt, Session } from '../../src/core/index.js';
import { escapeText, openInterrupts, safeJson, shown } from '../../src/core/index.js';
import { answerCommand, oneLineOf } from '../../src/human/index.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';

/** The time that the command may take for one question, in milliseconds. */
const PATIENCE_MS = 10_000;

/** The questions to tell of, and the program that does. */
export interface Notice {
  readonly command: readonly string[];
  readonly session: Pick<Session, 'id' | 'state'>;
  /** The questions that were open before, of which somebody was told then. */
  readonly known: ReadonlySet<string>;
}

/** Runs the command of the setting `notify` for each question that waits now, one after the other. */
export async function notify(
  io: Io,
  { command, session, known }: Notice,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (const interrupt of openInterrupts(session.state).filter(({ id }) => !known.has(id))) {
    const failed = await told(io, command, `${safeJson(documentOf(session, interrupt))}\n`, patienceMs);
    if (failed !== undefined)
      tell(io.stderr, shown`warning: \`notify\` did not tell of ${interrupt.id}: ${escapeText(failed)}`);
  }
}

/** The question as `hitl inbox --json` has it, with its words and with the commands that answer and go on. */
function documentOf({ id }: Pick<Session, 'id'>, interrupt: Interrupt): object {
  return {
    session: id,
    ...interrupt,
    asked: oneLineOf(interrupt),
    answer: answerCommand(id, interrupt),
    resume: `hitl resume ${id}`,
  };
}

/** Resolves with what went wrong; nothing where the program ended well. */
function told(
  { cwd, env }: Io,
  [program = '', ...args]: readonly string[],
  document: string,
  patienceMs: number,
): Promise<string | undefined> {
  const options = {
    cwd,
    env: { ...env },
    timeout: patienceMs,
    killSignal: 'SIGKILL',
    shell: false,
  } as const;
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', (error: NodeJS.ErrnoException) => {
      resolve(`${program} could not be run: ${error.code ?? error.message}`);
    });
    child.on('close', (status, signal) => {
      if (status === 0) resolve(undefined);
      else if (child.killed) resolve(`${program} had not ended after ${patienceMs / 1_000} s`);
      else resolve(`${program} ended with ${signal ?? `status ${String(status)}`}`);
    });
    child.stdin.on('error', () => undefined); // it need not read
    child.stdin.end(document);
  });
}
