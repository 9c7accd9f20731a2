import type {
  Clock,
  Interrupt,
  MayAllow,
  Review,
  ReviewerActor,
  RunState,
  Usage,
  Verdict,
} from '../core/index.js';
import {
  isSameReviewer,
  isYesInForce,
  keptWhy,
  messageOf,
  policyDigest,
  readVerdict,
} from '../core/index.js';
import type { ReviewRequest } from './request.js';

// Invariants:
// F1 Whatever goes wrong in a review is a failed review, and never an exception or a yes.

/** The result of asking a reviewer. */
export interface Reviewed {
  readonly outcome: Review['outcome'];
  readonly usage?: Usage;
}

/** A reviewer that is asked before a person. */
export interface Reviewer {
  readonly by: ReviewerActor;
  /** Digest of the policy. */
  readonly policy: string;
  /** The highest risk that it may allow. */
  readonly mayAllow: MayAllow;
  /** Asks about one call. Never rejects (F1). */
  review(request: ReviewRequest, signal: AbortSignal): Promise<Reviewed>;
}

/** A reviewer as a function that returns its verdict on a call. */
export type ReviewFunction = (request: ReviewRequest, signal: AbortSignal) => Verdict | Promise<Verdict>;

/** Time in which a reviewer answers, in milliseconds. */
export const REVIEW_MS = 30_000;

/** A review that failed. */
export function failed(
  failure: Extract<Review['outcome'], { readonly type: 'failed' }>['failure'],
  message: string,
): Reviewed {
  return { outcome: { type: 'failed', failure, message: keptWhy(message) } };
}

/** Reads what a reviewer said. */
export function said(value: unknown, usage?: Usage): Reviewed {
  const verdict = readVerdict(value);
  const cost = usage !== undefined && { usage };
  return typeof verdict === 'string'
    ? { ...failed('malformed', verdict), ...cost }
    : { outcome: { type: 'said', ...verdict }, ...cost };
}

/** The options of a reviewer that is a function. */
export interface FunctionReviewerOptions {
  /** Its name in the journal. Default: `function`. */
  readonly name?: string;
  /** The highest risk that it may allow. Default: `low`. */
  readonly mayAllow?: MayAllow;
}

/** Creates a reviewer from a function. */
export function functionReviewer(
  review: ReviewFunction,
  { name = 'function', mayAllow = 'low' }: FunctionReviewerOptions = {},
): Reviewer {
  return {
    by: { type: 'reviewer', via: 'function', name },
    policy: policyDigest(name),
    mayAllow,
    review: async (request, signal) => {
      try {
        return said(await review(request, signal));
      } catch (thrown) {
        return failed('unreachable', messageOf(thrown));
      }
    },
  };
}

/** A reviewer as a program gives it. */
export function reviewerOf(given: Reviewer | ReviewFunction): Reviewer {
  return typeof given === 'function' ? functionReviewer(given) : given;
}

/** Tells whether the yes of an actor is this reviewer’s, and in force in a session as it is now. */
export function isInForce(
  { by: own, policy, mayAllow }: Reviewer,
  session: { readonly state: RunState },
): (by: ReviewerActor, interrupt: Interrupt) => boolean {
  return (by, interrupt) =>
    isSameReviewer(own, by) && isYesInForce(session.state, { by, interrupt }, { policy, mayAllow });
}

/** Asks within the time; a reviewer that ignores its stop is not waited for. `ended` is the person's stop (F1). */
export async function reviewInTime(
  reviewer: Reviewer,
  request: ReviewRequest,
  {
    clock,
    ended,
    signal,
  }: { readonly clock: Clock; readonly ended: AbortSignal; readonly signal: AbortSignal },
): Promise<Reviewed> {
  const over = new AbortController();
  const any = AbortSignal.any([signal, ended, over.signal]);
  const late = clock.sleep(REVIEW_MS, any).then(
    () => failed('timeout', `no answer in ${REVIEW_MS / 1_000} s`),
    () => failed('stopped', 'ended by the user'),
  );
  try {
    const asked = reviewer
      .review(request, any)
      .catch((thrown: unknown) => failed('unreachable', messageOf(thrown)));
    const first = await Promise.race([asked, late]);
    return ended.aborted ? failed('stopped', 'ended by the user') : first;
  } finally {
    over.abort();
    await late;
  }
}
