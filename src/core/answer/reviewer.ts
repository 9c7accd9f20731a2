import type { Interrupt } from '../data/interrupt.js';
import { isJson, jsonEquals } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import type { Review, ReviewerActor } from '../data/review.js';
import { allows, reviewProblem } from '../data/review.js';
import { questionPlan, streakAfter, whyNotReviewed, whyPaused } from '../question/review.js';
import type { SessionEvent } from '../state/event.js';
import type { Call } from '../state/call.js';
import type { RunState } from '../state/state.js';
import { openInterrupts } from '../state/state.js';
import { ROOT_PATH } from '../data/ids.js';
import { stateAt } from './state-at.js';

// Invariants:
// A2 A reviewer is no person. It can only take a question away, by a plain yes to a call that nobody but the mode asks
//    about, and only by its own review of exactly that call, which the journal has. The fold sees to it.
// A3 Its yes lasts as long as it is in force: where it is not, the call does not start by it.

/** A reviewer's decision. */
interface ReviewerDecision {
  readonly by: ReviewerActor;
  readonly resolution: Resolution;
}

/** The parts of a session's state that describe its reviewer. */
type Reviewed = Pick<RunState, 'agent' | 'cwd' | 'reviews'>;

/** Returns the reason that a reviewer's answer is invalid, or `undefined` if it is valid (A2). */
export function reviewerProblem(
  interrupt: Interrupt,
  { by, resolution }: ReviewerDecision,
  { agent, cwd, reviews = [] }: Reviewed,
): string | undefined {
  if (!isJson(resolution) || !jsonEquals(resolution, PLAIN_YES))
    return 'a reviewer can only approve a call as shown';
  if (!isInForce(by, agent)) return 'reviews are off in this mode';
  const why = whyNotReviewed(interrupt, { ...(agent && { agent }), ...(cwd !== undefined && { cwd }) });
  if (why !== undefined) return `a reviewer cannot decide it: ${why}`;
  const review = reviews.find(({ id }) => id === interrupt.id);
  if (review === undefined) return 'its review is not recorded';
  if (!isSameReviewer(review.by, by)) return 'its review is from a different reviewer';
  if (review.digest !== interrupt.digest || review.plan !== questionPlan(interrupt))
    return 'its review is for a different call';
  return allows(review) ? undefined : 'its review does not allow it';
}

const PLAIN_YES = { action: 'restart' } as const;

/**
 * Whether a reviewer is active, either because the mode is `auto` or because the host program set this
 * reviewer.
 */
function isInForce({ name }: ReviewerActor, agent: RunState['agent']): boolean {
  const mode = agent?.mode;
  return mode === 'auto' || (mode === undefined && agent?.reviewer === name);
}

/**
 * Returns the reviewer whose approval lets a call start; `undefined` if the call needs no approval, or was
 * approved by a person or a rule.
 */
export function allowedBy({ approval, resolved }: Call): ReviewerActor | undefined {
  const by = resolved?.by;
  return approval !== undefined && by?.type === 'reviewer' ? by : undefined;
}

/**
 * Returns the reason that a call cannot start with its reviewer's approval; `undefined` if it can, or if the
 * state has no agent (A3).
 */
export function reviewedStartProblem(
  state: RunState,
  { ref, scope = ROOT_PATH }: SessionEvent & { type: 'tool-started' },
): string | undefined {
  const { agent } = state;
  if (agent === undefined) return undefined; // a part of a session, whose own fold sees to it
  const call = stateAt(state, scope)?.open?.calls.find(({ request }) => request.ref === ref);
  const by = call && allowedBy(call);
  return by === undefined || isInForce(by, agent)
    ? undefined
    : `call \`${ref}\` was approved by a reviewer, and reviews are off in this mode`;
}

/**
 * Whether a reviewer's approval of a question is still valid. The review must have been made with the given
 * policy and risk limit (A3).
 */
export function isYesInForce(
  { agent, reviews = [] }: RunState,
  { by, interrupt }: { readonly by: ReviewerActor; readonly interrupt: Interrupt },
  { policy, mayAllow }: Pick<Review, 'policy' | 'mayAllow'>,
): boolean {
  const review = reviews.find(({ id, digest }) => id === interrupt.id && digest === interrupt.digest);
  if (review === undefined || !isInForce(by, agent) || !isSameReviewer(review.by, by)) return false;
  return review.policy === policy && review.mayAllow === mayAllow && allows(review);
}

/** Whether two actors are the same reviewer. */
export function isSameReviewer(one: ReviewerActor, other: ReviewerActor): boolean {
  return one.name === other.name && one.via === other.via;
}

/** Returns the reason that a review is invalid for the open questions, or `undefined` if it is valid. */
export function reviewedProblem(
  state: RunState,
  review: SessionEvent & { type: 'reviewed' },
): string | undefined {
  const paused = whyPaused(state.reviewStreak);
  if (paused !== undefined) return paused;
  const interrupt = openInterrupts(state).find(({ id }) => id === review.id);
  if (interrupt === undefined) return `interrupt \`${review.id}\` is not open`;
  if (review.digest !== interrupt.digest || review.plan !== questionPlan(interrupt))
    return 'it is a review of a different call';
  return reviewProblem(review);
}

/**
 * Maximum number of reviews to keep for decided questions. They are kept because the calls of these questions
 * may not have started yet.
 */
const MOST_DECIDED = 50;

/** Returns the state with a review added. */
export function withReview(state: RunState, event: SessionEvent & { type: 'reviewed' }): RunState {
  const { type: _type, scope: _scope, ...review } = event;
  const open = new Set<string>(openInterrupts(state).map(({ id }) => id));
  const others = (state.reviews ?? []).filter(({ id }) => id !== review.id);
  const decided = others.filter(({ id }) => !open.has(id)).slice(-MOST_DECIDED);
  const rest = others.filter((one) => open.has(one.id) || decided.includes(one));
  return { ...state, reviews: [...rest, review], reviewStreak: streakAfter(state.reviewStreak, review) };
}

/** Returns the state without the reviews of a question. */
export function withoutReviews(state: RunState, id: string): RunState {
  if (state.reviews === undefined) return state;
  const rest = state.reviews.filter((review) => review.id !== id);
  return { ...state, reviews: rest.length === 0 ? undefined : rest };
}

/**
 * Whether a change to an agent sets its mode to `auto` and changes nothing else. If so, a person turned the
 * reviewer on again.
 */
export function turnsOnAgain(
  before: RunState['agent'],
  { agent, changed }: SessionEvent & { type: 'agent-changed' },
): boolean {
  if (agent.mode !== 'auto' || changed !== undefined || before === undefined) return false;
  const { mode: _now, ...now } = agent;
  const { mode: _was, ...was } = before;
  return JSON.stringify(now) === JSON.stringify(was);
}
