import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { Actor, AskedAtOnce, Interrupt, Resolution } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { ServerQuestion } from './elicitation.js';
import { elicited, readQuestion } from './elicitation.js';
import type { RunningCalls } from './running-calls.js';
import { loadSdk } from './wire/mcp-sdk.js';

/** A question of a server that cannot wait. */
export interface AskedNow {
  readonly question: ServerQuestion;
  /** The tool whose call runs, or the prompt that a person chose. */
  readonly asker: string;
  /** Stores it before it is shown. Absent: it is not the question of a call. */
  readonly keep?: () => Promise<Interrupt>;
}

/** A person's answer and identity. */
export interface Told {
  readonly resolution: Resolution;
  readonly by: Actor;
}

/** Asks a person immediately; throws if none is present. */
export type AskPerson = (asked: AskedNow, signal: AbortSignal) => Promise<Told>;

/** Context of a question that cannot wait. */
interface AskingNow {
  readonly server: string;
  readonly running: RunningCalls;
  /** Absent: no one is present. */
  readonly ask?: AskPerson;
  readonly notice: (line: string) => void;
}

/** Maximum number of questions that an older server may ask during a call. */
const MOST_QUESTIONS = 20;
const CANCEL: ElicitResult = { action: 'cancel' };

/**
 * Asks what an older server requests during a call, which cannot stay open for days: an absent user cancels.
 * A server without a running call cannot ask. The question is stored before a person sees it, and the answer
 * before the server gets it.
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
    said('and no one was there to answer');
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

/** Converts a person's answer for the server. */
function told(question: ServerQuestion, { resolution }: Told): ElicitResult {
  return resolution.action === 'respond' ? elicited(question, resolution.output) : { action: 'decline' };
}

/** Reads a question; a refused one is reported to the user, and with the reason to the server. */
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
