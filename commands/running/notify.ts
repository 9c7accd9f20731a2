// Invariants:
// N1 The command is run as a program with arguments, never by a shell; what asks reaches its standard input and no argument.
// N2 It stands in a neutral folder, is told the working folder by a variable, and starts as it was trusted (ADR 55).
// N3 It changes nothing of the session and nothing of the status: a question that nobody was told of is open all the same.
import type { Interrupt, Session } from '../../src/core/index.js';
import {
  errnoOf,
  escapeText,
  isQuestion,
  messageOf,
  openInterrupts,
  safeJson,
  shown,
} from '../../src/core/index.js';
import { answerCommand, oneLineOf } from '../../src/human/index.js';
import { ownEnvironment, startProgram } from '../../src/programs/index.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import { trustedWords } from '../trust/trust.js';

/** Time limit for the command, in milliseconds. It applies to each question. */
const PATIENCE_MS = 10_000;

/** The notification command, and the session whose open questions it reports. */
export interface Notice {
  readonly command: readonly string[];
  readonly session: Pick<Session, 'id' | 'state'>;
  /** Questions that were already open and reported. */
  readonly known: ReadonlySet<string>;
}

/** Runs the `notify` command for each open question, one at a time. */
export async function notify(
  io: Io,
  { command, session, known }: Notice,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (const interrupt of openInterrupts(session.state).filter(
    (one) => isQuestion(one) && !known.has(one.id),
  )) {
    const failed = await told(io, command, `${safeJson(documentOf(session, interrupt))}\n`, patienceMs);
    if (failed !== undefined)
      tell(io.stderr, shown`warning: \`notify\` failed for ${interrupt.id}: ${escapeText(failed)}`);
  }
}

/**
 * Formats a question as `hitl inbox --json` does, and adds the question's text and the commands to answer it
 * and to resume.
 */
function documentOf({ id }: Pick<Session, 'id'>, interrupt: Interrupt): object {
  return {
    session: id,
    ...interrupt,
    asked: oneLineOf(interrupt),
    answer: answerCommand(id, interrupt),
    resume: `hitl resume ${id}`,
  };
}

/**
 * Runs the notification command. Resolves to a description of the failure, or to `undefined` if the command
 * succeeded.
 */
async function told(
  io: Io,
  words: readonly string[],
  document: string,
  patienceMs: number,
): Promise<string | undefined> {
  const [program = '', ...args] = words;
  try {
    const looked = await trustedWords(io, '`notify`', words);
    const child = startProgram(
      'notify',
      { program, args, place: io, env: ownEnvironment(io.env, io), ...looked },
      { timeout: patienceMs, killSignal: 'SIGKILL', stdio: ['pipe', 'ignore', 'ignore'] },
    );
    return await new Promise((resolve) => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        resolve(`cannot run ${program}: ${error.code ?? error.message}`);
      });
      child.on('close', (status, signal) => {
        if (status === 0) resolve(undefined);
        else if (child.killed) resolve(`${program} did not exit within ${patienceMs / 1_000} s`);
        else resolve(`${program} exited with ${signal ?? `status ${String(status)}`}`);
      });
      child.stdin?.on('error', () => undefined); // it need not read
      child.stdin?.end(document);
    });
  } catch (thrown) {
    return `cannot run ${program}: ${errnoOf(thrown) ?? messageOf(thrown)}`;
  }
}
