import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { Actor, AskedAtOnce, Interrupt, Resolution } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { ServerQuestion } from './elicitation.js';
import { elicited, readQuestion } from './elicitation.js';
import type { RunningCalls } from './running-calls.js';
import { loadSdk } from './wire/mcp-sdk.js';

/** A question from a server that must be answered at once. */
export interface AskedNow {
  readonly question: ServerQuestion;
  /** The tool whose call is running, or the prompt that the user chose. */
  readonly asker: string;
  /** Stores the question before it is shown. Absent if the question does not belong to a call. */
  readonly keep?: () => Promise<Interrupt>;
}

/** An answer and the person who gave it. */
export interface Told {
  readonly resolution: Resolution;
  readonly by: Actor;
}

/** Asks the user at once. Throws if no user is present. */
export type AskPerson = (asked: AskedNow, signal: AbortSignal) => Promise<Told>;

/** The server whose question must be answered at once, and the means to ask the user. */
interface AskingNow {
  readonly server: string;
  readonly running: RunningCalls;
  /** Asks the user. Absent if no user is present. */
  readonly ask?: AskPerson;
  readonly notice: (line: string) => void;
}

/** Maximum number of questions that an older server may ask while its calls run. */
const MOST_QUESTIONS = 20;
const CANCEL: ElicitResult = { action: 'cancel' };

/**
 * Asks the user a question that an older server sends during a call. The question must be answered at once,
 * because the connection cannot stay open for days. It is cancelled if no user is present, or if none of the
 * server's calls is running. The question is stored before the user sees it, and the answer before the server
 * receives it.
 */
export async function askedAtOnce(
  params: ElicitRequest['params'],
  { server, running, ask, notice }: AskingNow,
  withdrawn: AbortSignal,
): Promise<ElicitResult> {
  const said = (what: string): void => {
    notice(`server \`${server}\` asked a question ${what}: ${params.message}`);
  };
  const call = running.last;
  if (call === undefined) {
    said('while none of its calls was running; not shown');
    return CANCEL;
  }
  const count = running.countQuestion();
  if (count > MOST_QUESTIONS) {
    if (count === MOST_QUESTIONS + 1)
      notice(`server \`${server}\` asks too many questions in one call; further ones are not shown`);
    return CANCEL;
  }
  const question = await readOrRefuse(server, params, said);
  if (ask === undefined) {
    said('but no one was available to answer');
    return CANCEL;
  }
  const signal = AbortSignal.any([withdrawn, running.over]);
  try {
    const { name: asker, askAtOnce } = call;
    if (askAtOnce === undefined) return told(question, await ask({ question, asker }, signal));
    let kept: Promise<AskedAtOnce> | undefined;
    const keep = (): Promise<AskedAtOnce> => (kept ??= askAtOnce(question.payload, question.answerSchema));
    const answer = await ask({ question, asker, keep: async () => (await keep()).interrupt }, signal);
    await (await keep()).answered(answer.resolution, answer.by);
    return told(question, answer);
  } catch (thrown) {
    said(`which was not answered (${messageOf(thrown)})`);
    return CANCEL;
  }
}

/** Converts the user's answer to a reply for the server. */
function told(question: ServerQuestion, { resolution }: Told): ElicitResult {
  return resolution.action === 'respond' ? elicited(question, resolution.output) : { action: 'decline' };
}

/**
 * Reads a question. If the question is refused, reports that to the user and throws an error that gives the
 * server the reason.
 */
async function readOrRefuse(
  server: string,
  params: ElicitRequest['params'],
  said: (what: string) => void,
): Promise<ServerQuestion> {
  try {
    return readQuestion(server, params);
  } catch (thrown) {
    const why = messageOf(thrown);
    said(`which was not answered (${why})`);
    const { ProtocolError } = await loadSdk();
    throw new ProtocolError(INVALID_PARAMS, why);
  }
}

const INVALID_PARAMS = -32_602;
