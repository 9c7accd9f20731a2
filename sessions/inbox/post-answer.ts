import type { Answer, InterruptId, ResolvedInterrupt, RunState, SessionId } from '../../src/core/index.js';
import { answerProblem, HitlError, isoTime, openInterrupts } from '../../src/core/index.js';
import { isUsed } from './answer-inbox.js';
import { appendToInbox, readInbox } from './inbox-file.js';
import { openToRead } from '../opening/index.js';
import { sessionFolder, untilChanged } from '../folder/index.js';
import type { StoreContext } from '../folder/index.js';

/** What became of a posted answer. */
export type AnswerFate =
  | { readonly type: 'used'; readonly resolved: ResolvedInterrupt }
  /** `resolved` is there where another answer was used. */
  | { readonly type: 'refused'; readonly why: string; readonly resolved?: ResolvedInterrupt };

/** A posted answer, for asking what became of it. */
export interface AnswerReceipt {
  readonly session: SessionId;
  readonly receipt: string;
  readonly answer: Answer;
}

function resolvedIn(state: RunState, id: InterruptId): ResolvedInterrupt | undefined {
  return state.resolved.toArray().findLast(({ interrupt }) => interrupt.id === id);
}

function answeredBy({ by, resolution, resolvedAt }: ResolvedInterrupt): string {
  const who = by.type === 'rule' ? `the rule ${by.rule}` : by.name;
  return `already answered by ${who}${resolvedAt === undefined ? '' : ` at ${resolvedAt}`}: ${resolution.action}`;
}

/** @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, BAD_ANSWER */
function checkAnswer(state: RunState, answer: Answer): void {
  const { id } = answer;
  const open = openInterrupts(state);
  const interrupt = open.find((candidate) => candidate.id === id);
  if (interrupt === undefined) {
    const resolved = resolvedIn(state, id);
    if (resolved !== undefined)
      throw new HitlError('ALREADY_ANSWERED', `interrupt ${id} was ${answeredBy(resolved)}`);
    const ids = open.map((candidate) => candidate.id).join(', ');
    throw new HitlError('INTERRUPT_NOT_FOUND', `no interrupt \`${id}\` waits for an answer`, {
      hint: ids === '' ? 'none is open in this session' : `open: ${ids}`,
    });
  }
  const problem = answerProblem(state, answer);
  if (problem === undefined) return;
  const hint =
    problem.kind === 'changed'
      ? 'look at it again'
      : `it can be answered with: ${interrupt.allowed.join(', ')}`;
  throw new HitlError('BAD_ANSWER', problem.message, { hint });
}

/**
 * Leaves an answer for whoever writes a session, now or later. Durable when it resolves; whether it is the one that
 * counts is decided by the writer (G16).
 * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, BAD_ANSWER, SAVE_FAILED, SESSION_NOT_FOUND,
 * SESSION_UNREADABLE
 */
export async function postAnswer(
  context: StoreContext,
  id: SessionId,
  answer: Answer,
  signal: AbortSignal,
): Promise<AnswerReceipt> {
  checkAnswer(openToRead(context, id).state, answer);
  const receipt = Buffer.from(context.random(8)).toString('hex');
  const at = isoTime(context.now());
  const folder = sessionFolder(context.root, id);
  await appendToInbox(context, folder, { v: 1, type: 'answer', receipt, at, answer }, signal);
  return { session: id, receipt, answer };
}

/** Waits until a posted answer was used or refused. Rejects with the signal's reason when it aborts. */
export async function fateOfAnswer(
  context: StoreContext,
  posted: AnswerReceipt,
  signal: AbortSignal,
): Promise<AnswerFate> {
  const folder = sessionFolder(context.root, posted.session);
  const resolution = watchResolution(context, posted.session, posted.answer.id);
  const look = (): AnswerFate | undefined => {
    const resolved = resolution();
    if (resolved !== undefined) {
      if (isUsed(posted.answer, resolved)) return { type: 'used', resolved };
      return { type: 'refused', why: answeredBy(resolved), resolved };
    }
    const refusal = readInbox(context, folder, 0).records.find(
      (record) => record.type === 'refusal' && record.receipt === posted.receipt,
    );
    return refusal?.type === 'refusal' ? { type: 'refused', why: refusal.why } : undefined;
  };
  return untilChanged(context, folder.path, look, signal);
}

/** Waits until an interrupt is answered. Rejects with the signal's reason when it aborts. */
export async function waitForResolution(
  context: StoreContext,
  id: SessionId,
  interrupt: InterruptId,
  signal: AbortSignal,
): Promise<ResolvedInterrupt> {
  const folder = sessionFolder(context.root, id);
  return untilChanged(context, folder.path, watchResolution(context, id, interrupt), signal);
}

/** Looks for a resolution, reading the journal only where it has grown. */
function watchResolution(
  context: StoreContext,
  id: SessionId,
  interrupt: InterruptId,
): () => ResolvedInterrupt | undefined {
  const { journal } = sessionFolder(context.root, id);
  let seen: number | undefined;
  return () => {
    const size = sizeOf(context, journal);
    if (size === seen) return undefined;
    seen = size;
    return resolvedIn(openToRead(context, id).state, interrupt);
  };
}

/** The size of a file; -1 where it cannot be had, which is for reading it to explain. */
function sizeOf({ fs }: StoreContext, file: string): number {
  try {
    return fs.lookUp(file)?.size ?? -1;
  } catch {
    return -1;
  }
}
