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
  Vote,
} from '../../src/core/index.js';
import {
  allowedWords,
  answerEvents,
  answeredBy,
  answerProblem,
  fireDue,
  HitlError,
  isHitlError,
  isoTime,
  notWaiting,
  openInterrupt,
  plainAnswer,
  shapeProblem,
  standingVotes,
} from '../../src/core/index.js';
import { isSame, isSameWord, isUsed } from './answer-inbox.js';
import type { InboxPlace } from './inbox-place.js';
import { appendToInbox, sessionReader } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';

function resolvedIn(state: RunState, id: InterruptId): ResolvedInterrupt | undefined {
  return state.resolved.findLast(({ interrupt }) => interrupt.id === id);
}

/**
 * Returns the answer in the form in which it is stored. Rejects an answer that contains a secret, because the
 * secret would be stored before the answer is used.
 * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, BAD_ANSWER, NOT_ELIGIBLE
 */
function checkAnswer(state: RunState, answer: Answer): SealedAnswer {
  const { id } = answer;
  const interrupt = openInterrupt(state, id);
  if (interrupt === undefined) throw notWaiting(state, id);
  const problem = answerProblem(state, answer);
  if (problem?.kind === 'not-eligible') throw new HitlError('NOT_ELIGIBLE', problem.message);
  if (problem === undefined)
    return plainAnswer(answer, { interrupt, input: inputSchemaOf(interrupt, state) });
  const hint =
    problem.kind === 'changed' ? 'review it again' : `valid actions: ${allowedWords(interrupt).join(', ')}`;
  throw new HitlError('BAD_ANSWER', problem.message, { hint });
}

/**
 * Returns the input schema of a tool as recorded in the session, because this process has not loaded the
 * tool.
 */
function inputSchemaOf({ source }: Interrupt, { agent }: RunState): JsonObject | undefined {
  return source.type === 'tool'
    ? agent?.tools.find(({ name }) => name === source.name)?.inputSchema
    : undefined;
}

/**
 * Validates the whole answer, including parts that are not used yet, because answers come from other
 * programs.
 */
function checkShape(answer: Answer): void {
  // Only the screen on which a question is drawn knows what of it was shown, and it hands nothing over.
  const unread =
    answer.unread === undefined
      ? undefined
      : '`unread` is only valid from the terminal that shows the question';
  const problem = shapeProblem(answer) ?? unread;
  if (problem === undefined) return;
  throw new HitlError('BAD_ANSWER', `invalid answer: ${problem}`, {
    hint: 'an answer is {"id":"i1","digest":…,"resolution":{"action":…},"by":{"type":"person","name":…,"via":"library"}}',
  });
}

/**
 * Accepts an answer. Records it in the journal if no process is writing the session; otherwise, queues it in
 * the inbox. The answer is durable when the promise resolves. The process that writes the session decides
 * whether to use a queued answer (G16).
 * @param write opens the session for writing
 * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, BAD_ANSWER, NOT_ELIGIBLE, SAVE_FAILED,
 * SESSION_NOT_FOUND, SESSION_UNREADABLE
 */
export async function postAnswer(
  place: InboxPlace,
  answer: Answer,
  { receipt, signal = new AbortController().signal, held }: PostOptions,
  write: () => Promise<Session>,
): Promise<Posted> {
  checkShape(answer);
  if (held !== undefined && held.id !== place.id)
    throw new HitlError('INTERNAL', `the open session is ${held.id}, not ${place.id}`);
  const before = receipt === undefined ? undefined : await postedBefore(place, answer, receipt);
  if (before !== undefined) return before;
  const posted = {
    session: place.id,
    interrupt: answer.id,
    receipt: receipt ?? Buffer.from(place.random(8)).toString('hex'),
  };
  const looked = held === undefined ? await lookAt(place, answer, posted.receipt) : undefined;
  if (looked?.type !== undefined) return { type: looked.type, ...posted };
  const type = await unlessTaken(async () => {
    const given = { answer, receipt: posted.receipt };
    return held === undefined ? recordedAlone(place, given, write) : recorded(place, held, given);
  });
  if (type !== undefined) return { type, ...posted };
  const left = { v: 1, type: 'answer', receipt: posted.receipt, at: isoTime(place.now()), answer } as const;
  const { type: kept, past } = looked ?? (await lookAt(place, answer, posted.receipt));
  if (kept !== undefined) return { type: kept, ...posted };
  await appendToInbox(place, left, past, signal);
  return { type: 'left', ...posted };
}

interface Looked {
  /**
   * The status of the answer in the journal, if it is already there because the same answer was posted at the
   * same time.
   */
  readonly type?: 'recorded' | 'voted' | undefined;
  readonly past: string;
}

/**
 * Checks whether an answer is valid. An answer that is already in the journal is valid, even though its
 * question may have been decided.
 * @throws HitlError like `checkAnswer`
 */
async function lookAt(place: InboxPlace, answer: Answer, receipt: string): Promise<Looked> {
  const { state, past } = await place.session();
  const type = keptAs(state, answer, receipt);
  if (type === undefined) checkAnswer(state, answer);
  return { type, past };
}

/**
 * Returns the result for an answer that was posted before and is already in the journal or the inbox.
 * @throws HitlError BAD_ANSWER if a different answer has this receipt, because otherwise the new answer could
 * be lost without anyone noticing
 */
async function postedBefore(place: InboxPlace, answer: Answer, receipt: string): Promise<Posted | undefined> {
  const posted = { session: place.id, interrupt: answer.id, receipt };
  const { state, past } = await place.session();
  const left = await leftAs(place, receipt, past);
  if (left !== undefined) {
    checkSame(left.answer.id === answer.id && isSameWord(answer, left.answer), receipt);
    return { type: 'left', ...posted };
  }
  const type = keptAs(state, answer, receipt);
  return type === undefined ? undefined : { type, ...posted };
}

/**
 * Returns the status in the journal of the answer with this receipt.
 * @throws HitlError BAD_ANSWER if a different answer has this receipt
 */
function keptAs(state: RunState, answer: Answer, receipt: string): 'recorded' | 'voted' | undefined {
  const vote = state.votes?.find((cast) => cast.id === answer.id && cast.receipt === receipt);
  if (vote !== undefined) {
    checkSame(isSameWord(answer, vote), receipt);
    return 'voted';
  }
  const resolved = resolvedIn(state, answer.id);
  const isOurs = resolved !== undefined && isUsed(answer, receipt, resolved) && isLike(answer, resolved);
  return isOurs ? 'recorded' : undefined;
}

/** @throws HitlError BAD_ANSWER */
function checkSame(isThis: boolean, receipt: string): void {
  if (!isThis)
    throw new HitlError('BAD_ANSWER', `receipt \`${receipt}\` belongs to a different answer`, {
      hint: 'each answer needs its own receipt',
    });
}

/**
 * Whether an answer has the same author and action as a recorded decision. Details that the recording process
 * adds are ignored.
 */
function isLike(answer: Answer, { by, resolution, votes = [] }: ResolvedInterrupt): boolean {
  const isBy = isSame(answer.by, by) || votes.some((vote) => isSame(answer.by, vote.by));
  return isBy && answer.resolution.action === resolution.action;
}

/** Errors that occur if another process is writing the session or has taken it over. */
const TAKEN_BY_OTHERS: ReadonlySet<string> = new Set(['SESSION_LOCKED', 'VERSION_CONFLICT']);

/** Returns the result of writing; `undefined` if another process is writing the session. */
async function unlessTaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (thrown) {
    if (isHitlError(thrown) && TAKEN_BY_OTHERS.has(thrown.code)) return undefined;
    throw thrown;
  }
}

/** Checks an answer against the current state and appends it. Throws if the answer is invalid. */
async function recorded(
  place: InboxPlace,
  session: Session,
  { answer, receipt }: { readonly answer: Answer; readonly receipt: string },
): Promise<'recorded' | 'voted'> {
  await fireDue(session, place.now(), (event) => session.append([event]));
  const kept = keptAs(session.state, answer, receipt); // by who posted it at the same time
  if (kept !== undefined) return kept;
  const plain = checkAnswer(session.state, answer); // nobody else answers between this and the append
  const events = answerEvents(plain, session.state, { at: isoTime(place.now()), receipt });
  await session.append(events);
  return events.some(({ type }) => type === 'interrupt-resolved') ? 'recorded' : 'voted';
}

interface Given {
  readonly answer: Answer;
  readonly receipt: string;
}

/**
 * Appends an answer to a session that no process is writing. Takes all queued answers before releasing the
 * session, and checks afterwards for answers that were queued in the meantime.
 */
async function recordedAlone(
  place: InboxPlace,
  given: Given,
  write: () => Promise<Session>,
): Promise<'recorded' | 'voted'> {
  await using first = await write();
  const type = await recorded(place, first, given);
  try {
    let seen = await takeLeft(place, first);
    await first[Symbol.asyncDispose]();
    while ((await place.read(seen)).records.some(({ record }) => record.type === 'answer'))
      seen = await takenAlone(place, write);
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown; // this answer is there; whoever writes now takes the others
  }
  return type;
}

async function takenAlone(place: InboxPlace, write: () => Promise<Session>): Promise<number> {
  await using session = await write();
  return await takeLeft(place, session);
}

/**
 * Takes the queued answers of a session. @returns the position in the inbox up to which answers were checked
 */
async function takeLeft(place: InboxPlace, session: Session): Promise<number> {
  const { end } = await place.read(0);
  const answers = session.answers();
  for (let answer = await answers.take(); answer !== undefined; answer = await answers.take()) {
    try {
      const plain = checkAnswer(session.state, answer);
      const [receipt, saidAt] = [answers.receiptOf?.(answer), answers.leftAt?.(answer)];
      await session.append(answerEvents(plain, session.state, { at: isoTime(place.now()), receipt, saidAt }));
    } catch (thrown) {
      if (!isHitlError(thrown) || thrown.code === 'SAVE_FAILED' || thrown.code === 'VERSION_CONFLICT')
        throw thrown;
      await answers.refuse(answer, thrown.message);
    }
  }
  return end;
}

async function leftAs(
  place: InboxPlace,
  receipt: string,
  past: string,
): Promise<(InboxRecord & { type: 'answer' }) | undefined> {
  return (await oursIn(place, past))
    .filter((record) => record.type === 'answer')
    .find((record) => record.receipt === receipt);
}

/** Returns the inbox records that were written with our key for a version of the session's history. */
async function oursIn(place: InboxPlace, past: string): Promise<readonly InboxRecord[]> {
  const { records } = await place.read(0);
  return records.flatMap(({ record, isForeign, past: of }) => (isForeign || of !== past ? [] : [record]));
}

/**
 * Returns the current votes on a question if a vote with this receipt was ever cast, even if that vote is no
 * longer among them.
 */
function votedAs(
  { votes }: RunState,
  { interrupt, receipt }: Pick<Posted, 'interrupt' | 'receipt'>,
): readonly Vote[] | undefined {
  const isCast = votes?.some((vote) => vote.id === interrupt && vote.receipt === receipt);
  return isCast === true ? standingVotes(votes, interrupt) : undefined;
}

/**
 * Waits until a posted answer is used, refused or recorded as a vote. Rejects with the signal's reason if the
 * signal aborts.
 */
export async function fateOfAnswer(
  place: InboxPlace,
  posted: Posted,
  signal: AbortSignal,
): Promise<AnswerFate> {
  const sessionNow = sessionReader(place);
  const { past: began } = await sessionNow();
  const answer = posted.type === 'left' ? (await leftAs(place, posted.receipt, began))?.answer : undefined;
  const look = async (): Promise<AnswerFate | undefined> => {
    const { state, past } = await sessionNow();
    const resolved = resolvedIn(state, posted.interrupt);
    if (resolved !== undefined) {
      const isOurs = posted.type === 'recorded' || isUsed(answer, posted.receipt, resolved);
      if (isOurs) return { type: 'used', resolved };
      return { type: 'refused', why: answeredBy(resolved), resolved };
    }
    const votes = votedAs(state, posted);
    if (votes !== undefined) return { type: 'voted', votes };
    const refusal = (await oursIn(place, past)).find(
      (record) => record.type === 'refusal' && record.receipt === posted.receipt,
    );
    return refusal?.type === 'refusal' ? { type: 'refused', why: refusal.why } : undefined;
  };
  return place.until(look, signal);
}
