import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { JsonValue } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { ServerQuestion } from './elicitation.js';
import { elicited, readQuestion } from './elicitation.js';
import type { RunningCalls } from './running-calls.js';

/** A way to ask a person at once; `undefined` where they decline. A throw: nobody is there. */
export type AskPerson = (
  question: ServerQuestion,
  tool: string,
  signal: AbortSignal,
) => Promise<JsonValue | undefined>;

/** The surroundings of a question that cannot wait. */
interface AskingNow {
  readonly server: string;
  readonly running: RunningCalls;
  /** Absent: nobody is there. */
  readonly ask?: AskPerson;
  readonly notice: (line: string) => void;
}

/** The questions that an older server may ask in the middle of a call. */
const MOST_QUESTIONS = 20;
const CANCEL: ElicitResult = { action: 'cancel' };

/**
 * Asks what an older server wants in the middle of a call, which is not kept open for days: who is not there cancels. A
 * server that nothing was asked of asks nobody.
 */
export async function askedAtOnce(
  params: ElicitRequest['params'],
  { server, running, ask, notice }: AskingNow,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const said = (what: string): void => {
    notice(`the server \`${server}\` asked something, ${what}: ${params.message}`);
  };
  const { name } = running;
  if (name === undefined) {
    said('while no call of it ran, and nobody was asked');
    return CANCEL;
  }
  const count = running.countQuestion();
  if (count > MOST_QUESTIONS) {
    if (count === MOST_QUESTIONS + 1)
      notice(`the server \`${server}\` asks too much in one call: its further questions are not shown`);
    return CANCEL;
  }
  try {
    const question = readQuestion(server, params);
    if (ask === undefined) {
      said('and nobody was there to answer');
      return CANCEL;
    }
    const answer = await ask(question, name, signal);
    return answer === undefined ? { action: 'decline' } : elicited(question, answer);
  } catch (thrown) {
    said(`which was not answered (${messageOf(thrown)})`);
    return CANCEL;
  }
}
