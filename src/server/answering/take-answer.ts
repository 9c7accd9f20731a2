// Invariants:
// T1 An answer counts for what was on the screen: its digest is compared before anything else of it is read.
// T2 It goes the way of an answer from another terminal, and is held to the same rules.
// T3 Every answer that is durable is told of, at whichever door it came in: whoever goes on with sessions hears of it.
import type {
  Actor,
  Interrupt,
  JsonValue,
  ResolvedInterrupt,
  Resolution,
  RunState,
  SessionId,
  SessionStore,
  Vote,
} from '../../core/index.js';
import {
  answeredBy,
  answerProblem,
  isHitlError,
  isJsonObject,
  isName,
  jsonEquals,
  notWaiting,
  openInterrupt,
  unescapeText,
} from '../../core/index.js';
import type { AnswerContext } from '../../human/index.js';
import { deliverAnswer, parseAnswerValue, toolOf } from '../../human/index.js';
import type { ServerWorld } from '../world.js';

/** An incoming answer. */
export interface GivenAnswer {
  readonly session: SessionId;
  /** The interrupt ID, as sent with the answer. */
  readonly interrupt: string;
  /** Digest of the question that was shown. */
  readonly digest: string;
  /** Parses the resolution, once it is certain that the question is the one shown. */
  readonly read: (context: AnswerContext, state: RunState) => ReadResolution;
  readonly by: Actor;
  readonly receipt?: string;
}

/** A parsed resolution, or the reason that it is invalid. */
export type ReadResolution =
  | { readonly ok: true; readonly resolution: Resolution }
  | { readonly ok: false; readonly why: string; readonly fits?: readonly string[] };

/** The result of delivering an answer. */
export type TakenAnswer =
  /** The answer is durable and in effect. `taken` means that the process holding the session recorded it. */
  | {
      readonly type: 'recorded' | 'taken';
      readonly receipt: string;
      readonly interrupt: Interrupt;
      readonly resolution: Resolution;
    }
  /** The answer is durable, but the process holding the session has not confirmed it yet. */
  | { readonly type: 'left'; readonly receipt: string; readonly interrupt: Interrupt }
  /** Others answered first. */
  | { readonly type: 'answered'; readonly why: string; readonly resolved?: ResolvedInterrupt }
  /** The question differs from the one that was shown. */
  | { readonly type: 'changed'; readonly interrupt: Interrupt }
  | {
      readonly type: 'misfit';
      readonly why: string;
      readonly fits: readonly string[];
      readonly interrupt: Interrupt;
    }
  /** The sender is identified, but is not allowed to answer this question. */
  | { readonly type: 'not-eligible'; readonly why: string; readonly interrupt: Interrupt }
  /** The answer is durable as a vote, but more votes are needed. */
  | {
      readonly type: 'voted';
      readonly receipt: string;
      readonly interrupt: Interrupt;
      readonly votes: readonly Vote[];
    }
  | { readonly type: 'not-found'; readonly why: string };

/**
 * Records an answer and returns the result. Problems that the sender can correct are returned, not thrown.
 */
export async function takeAnswer(
  { store, patience, changes }: Pick<ServerWorld, 'store' | 'patience' | 'changes'>,
  given: GivenAnswer,
): Promise<TakenAnswer> {
  const { session, digest, by, receipt } = given;
  const state = await stateOf(store, session);
  if (state === undefined) return { type: 'not-found', why: `session not found: ${session}` };
  const interrupt = openInterrupt(state, given.interrupt);
  if (interrupt === undefined) return before(state, given) ?? notOpen(state, given.interrupt);
  if (interrupt.digest !== digest) return { type: 'changed', interrupt }; // T1
  const read = given.read(contextOf(interrupt, state), state);
  if (!read.ok) return { type: 'misfit', why: read.why, fits: read.fits ?? [], interrupt };
  const { resolution } = read;
  const answer = { id: interrupt.id, digest, resolution, by };
  const problem = answerProblem(state, answer);
  if (problem?.kind === 'not-eligible') return { type: problem.kind, why: problem.message, interrupt };
  if (problem !== undefined) return { type: 'misfit', why: problem.message, fits: [], interrupt };
  try {
    const delivered = await deliverAnswer(store, session, answer, {
      patience,
      ...(receipt !== undefined && { receipt }),
    });
    if (delivered.type === 'refused')
      return {
        type: 'answered',
        why: delivered.why,
        ...(delivered.resolved !== undefined && { resolved: delivered.resolved }),
      };
    changes.tell({ session, what: 'answered' }); // T3
    const { type, posted } = delivered;
    if (type === 'voted') return { type, receipt: posted.receipt, interrupt, votes: delivered.votes };
    if (type === 'left') return { type, receipt: posted.receipt, interrupt };
    return { type, receipt: posted.receipt, interrupt, resolution };
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    if (thrown.code === 'NOT_ELIGIBLE') return { type: 'not-eligible', why: thrown.message, interrupt };
    if (thrown.code === 'BAD_ANSWER') return { type: 'misfit', why: thrown.message, fits: [], interrupt };
    if (thrown.code !== 'ALREADY_ANSWERED' && thrown.code !== 'INTERRUPT_NOT_FOUND') throw thrown;
    return notOpen((await stateOf(store, session)) ?? state, given.interrupt);
  }
}

/**
 * Recognizes a repeated answer with a receipt, from the same person, to the same question and with the same
 * resolution. It is reported as recorded.
 */
function before(
  state: RunState,
  { interrupt: id, digest, read, by, receipt }: GivenAnswer,
): TakenAnswer | undefined {
  const resolved = state.resolved.findLast(({ interrupt }) => interrupt.id === id);
  if (receipt === undefined || resolved?.interrupt.digest !== digest) return undefined;
  const { interrupt } = resolved;
  const again = read(contextOf(interrupt, state), state);
  if (!again.ok || !isSame(again.resolution, resolved.resolution) || !isSame(by, resolved.by))
    return undefined;
  return { type: 'recorded', receipt, interrupt, resolution: again.resolution };
}

function isSame(left: unknown, right: unknown): boolean {
  return isJsonObject(left) && isJsonObject(right) && jsonEquals(left, right);
}

function notOpen(state: RunState, id: string): TakenAnswer {
  const resolved = state.resolved.findLast(({ interrupt }) => interrupt.id === id);
  if (resolved !== undefined) return { type: 'answered', why: answeredBy(resolved), resolved };
  if (!isName(id)) return { type: 'not-found', why: 'no question has this id' };
  const { code, message } = notWaiting(state, id);
  return code === 'ALREADY_ANSWERED'
    ? { type: 'answered', why: message }
    : { type: 'not-found', why: message };
}

/** Returns a question together with its tool. */
export function contextOf(interrupt: Interrupt, state: RunState): AnswerContext {
  const tool = toolOf(interrupt, state);
  return { interrupt, ...(tool !== undefined && { tool }) };
}

/** Parses the value of an answer to a question: a resolution, or a line as typed at a terminal. */
export function readGiven(value: JsonValue, context: AnswerContext): ReadResolution {
  const parsed = parseAnswerValue(value, context);
  if (!parsed.ok) return { ok: false, why: unescapeText(parsed.message), fits: parsed.fits };
  if (parsed.answer.always !== undefined)
    return { ok: false, why: '`always` only works in the session’s own terminal' };
  return { ok: true, resolution: parsed.answer.resolution };
}

/** Returns a session's state; `undefined` if it does not exist. */
export async function stateOf(store: SessionStore, id: SessionId): Promise<RunState | undefined> {
  try {
    await using session = await store.open(id, 'read');
    return session.state;
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'SESSION_NOT_FOUND') return undefined;
    throw thrown;
  }
}
