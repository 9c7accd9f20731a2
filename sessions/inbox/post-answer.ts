import type {
  Answer,
  AnswerFate,
  Interrupt,
  InterruptId,
  JsonObject,
  Posted,
  PostOptions,
  ResolvedInterrupt,
  RunState,
  SealedAnswer,
  Session,
} from '../../src/core/index.js';
import {
  allowedWords,
  answeredBy,
  answerProblem,
  fireDue,
  HitlError,
  isHitlError,
  isoTime,
  notWaiting,
  openInterrupt,
  plainAnswer,
  resolvedEvent,
  shapeProblem,
} from '../../src/core/index.js';
import { isUsed } from './answer-inbox.js';
import type { InboxPlace } from './inbox-place.js';
import { appendToInbox } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';

function resolvedIn(state: RunState, id: InterruptId): ResolvedInterrupt | undefined {
  return state.resolved.findLast(({ interrupt }) => interrupt.id === id);
}

/**
 * The answer as it may be kept. One with a secret is not taken: nobody could use it before it had rested in a file.
 * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, BAD_ANSWER
 */
function checkAnswer(state: RunState, answer: Answer): SealedAnswer {
  const { id } = answer;
  const interrupt = openInterrupt(state, id);
  if (interrupt === undefined) throw notWaiting(state, id);
  const problem = answerProblem(state, answer);
  if (problem === undefined)
    return plainAnswer(answer, { interrupt, input: inputSchemaOf(interrupt, state) });
  const hint =
    problem.kind === 'changed'
      ? 'look at it again'
      : `it can be answered with: ${allowedWords(interrupt).join(', ')}`;
  throw new HitlError('BAD_ANSWER', problem.message, { hint });
}

/** As the session knows the tool: it is not loaded here. */
function inputSchemaOf({ source }: Interrupt, { agent }: RunState): JsonObject | undefined {
  return source.type === 'tool'
    ? agent?.tools.find(({ name }) => name === source.name)?.inputSchema
    : undefined;
}

/** Foreign programs hand answers over: the whole of one is looked at, and not only what is used first. */
function checkShape(answer: Answer): void {
  const problem = shapeProblem(answer);
  if (problem === undefined) return;
  throw new HitlError('BAD_ANSWER', `this is no answer: ${problem}`, {
    hint: 'an answer is {"id":"i1","digest":…,"resolution":{"action":…},"by":{"type":"person","name":…,"via":"library"}}',
  });
}

/**
 * Takes an answer: into the journal where nobody writes the session, else into its inbox, for whoever does. Durable
 * when it resolves; whether one that was left is the one that counts is decided by the writer (G16).
 * @param write opens the session for writing
 * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, BAD_ANSWER, SAVE_FAILED, SESSION_NOT_FOUND,
 * SESSION_UNREADABLE
 */
export async function postAnswer(
  place: InboxPlace,
  answer: Answer,
  { receipt, signal = new AbortController().signal }: PostOptions,
  write: () => Promise<Session>,
): Promise<Posted> {
  checkShape(answer);
  const before = receipt === undefined ? undefined : await postedBefore(place, answer, receipt);
  if (before !== undefined) return before;
  const posted = {
    session: place.id,
    interrupt: answer.id,
    receipt: receipt ?? Buffer.from(place.random(8)).toString('hex'),
  };
  checkAnswer(await place.state(), answer);
  if (await recorded(place, answer, write)) return { type: 'recorded', ...posted };
  const at = isoTime(place.now());
  await appendToInbox(place, { v: 1, type: 'answer', receipt: posted.receipt, at, answer }, signal);
  return { type: 'left', ...posted };
}

/** The same answer again: it was recorded, or lies in the inbox. */
async function postedBefore(place: InboxPlace, answer: Answer, receipt: string): Promise<Posted | undefined> {
  const posted = { session: place.id, interrupt: answer.id, receipt };
  if ((await leftAs(place, receipt)) !== undefined) return { type: 'left', ...posted };
  const resolved = resolvedIn(await place.state(), answer.id);
  return resolved !== undefined && isUsed(answer, resolved) ? { type: 'recorded', ...posted } : undefined;
}

/** Appends an answer, where nobody else writes. The journal is folded: nothing is appended that does not fit it. */
async function recorded(place: InboxPlace, answer: Answer, write: () => Promise<Session>): Promise<boolean> {
  try {
    await using session = await write();
    await fireDue(session, place.now(), (event) => session.append([event]));
    const plain = checkAnswer(session.state, answer); // nobody else answers between this and the append
    await session.append([resolvedEvent(plain, session.state, isoTime(place.now()))]);
    return true;
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'SESSION_LOCKED') return false;
    throw thrown;
  }
}

async function leftAs(
  place: InboxPlace,
  receipt: string,
): Promise<(InboxRecord & { type: 'answer' }) | undefined> {
  const { records } = await place.read(0);
  return records.filter((record) => record.type === 'answer').find((record) => record.receipt === receipt);
}

/** Waits until a posted answer was used or refused. Rejects with the signal's reason when it aborts. */
export async function fateOfAnswer(
  place: InboxPlace,
  posted: Posted,
  signal: AbortSignal,
): Promise<AnswerFate> {
  const resolution = watchResolution(place, posted.interrupt);
  const answer = posted.type === 'left' ? (await leftAs(place, posted.receipt))?.answer : undefined;
  const look = async (): Promise<AnswerFate | undefined> => {
    const resolved = await resolution();
    if (resolved !== undefined) {
      const isOurs = posted.type === 'recorded' || (answer !== undefined && isUsed(answer, resolved));
      if (isOurs) return { type: 'used', resolved };
      return { type: 'refused', why: answeredBy(resolved), resolved };
    }
    const { records } = await place.read(0);
    const refusal = records.find((record) => record.type === 'refusal' && record.receipt === posted.receipt);
    return refusal?.type === 'refusal' ? { type: 'refused', why: refusal.why } : undefined;
  };
  return place.until(look, signal);
}

/** Looks for a resolution, reading the journal only where it has grown. */
function watchResolution(
  place: InboxPlace,
  interrupt: InterruptId,
): () => Promise<ResolvedInterrupt | undefined> {
  let isFirst = true;
  let seen: number | undefined;
  return async () => {
    const mark = await place.journalMark();
    if (!isFirst && mark !== undefined && mark === seen) return undefined;
    isFirst = false;
    seen = mark;
    return resolvedIn(await place.state(), interrupt);
  };
}
