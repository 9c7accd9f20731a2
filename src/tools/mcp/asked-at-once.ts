import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { JsonValue } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { ServerQuestion } from './elicitation.js';
import { elicited, readQuestion } from './elicitation.js';

/** A way to ask a person at once; `undefined` where they decline. A throw: nobody is there. */
export type AskPerson = (
  question: ServerQuestion,
  tool: string,
  signal: AbortSignal,
) => Promise<JsonValue | undefined>;

/** The surroundings of a question that cannot wait. */
interface AskingNow {
  readonly server: string;
  readonly tool: string;
  /** Absent: nobody is there. */
  readonly ask?: AskPerson;
  readonly notice: (line: string) => void;
}

/** Asks what an older server wants in the middle of a call, which is not kept open for days: who is not there cancels. */
export async function askedAtOnce(
  params: ElicitRequest['params'],
  { server, tool, ask, notice }: AskingNow,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const said = (what: string): void => {
    notice(`the server \`${server}\` asked something, ${what}: ${params.message}`);
  };
  try {
    const question = readQuestion(server, params);
    if (ask === undefined) {
      said('and nobody was there to answer');
      return { action: 'cancel' };
    }
    const answer = await ask(question, tool, signal);
    return answer === undefined ? { action: 'decline' } : elicited(question, answer);
  } catch (thrown) {
    said(`which was not answered (${messageOf(thrown)})`);
    return { action: 'cancel' };
  }
}
