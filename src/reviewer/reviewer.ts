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

/** The result of a review. */
export interface Reviewed {
  readonly outcome: Review['outcome'];
  readonly usage?: Usage;
}

/** A reviewer, which is asked before the user. */
export interface Reviewer {
  readonly by: ReviewerActor;
  /** Digest of the policy. */
  readonly policy: string;
  /** The highest risk that the reviewer may allow. */
  readonly mayAllow: MayAllow;
  /** Reviews one call. Never rejects (F1). */
  review(request: ReviewRequest, signal: AbortSignal): Promise<Reviewed>;
}

/** A reviewer written as a function that returns its verdict on a call. */
export type ReviewFunction = (request: ReviewRequest, signal: AbortSignal) => Verdict | Promise<Verdict>;

/** Time limit for a review, in milliseconds. */
export const REVIEW_MS = 30_000;

/** Creates the result for a review that failed. */
export function failed(
  failure: Extract<Review['outcome'], { readonly type: 'failed' }>['failure'],
  message: string,
): Reviewed {
  return { outcome: { type: 'failed', failure, message: keptWhy(message) } };
}

/** Parses a reviewer's verdict. */
export function said(value: unknown, usage?: Usage): Reviewed {
  const verdict = readVerdict(value);
  const cost = usage !== undefined && { usage };
  return typeof verdict === 'string'
    ? { ...failed('malformed', verdict), ...cost }
    : { outcome: { type: 'said', ...verdict }, ...cost };
}

/** Options for a function reviewer. */
export interface FunctionReviewerOptions {
  /** The reviewer's name in the journal. Default: `function`. */
  readonly name?: string;
  /** The highest risk that the reviewer may allow. Default: `low`. */
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

/** Converts a review function to a reviewer; returns a reviewer unchanged. */
export function reviewerOf(given: Reviewer | ReviewFunction): Reviewer {
  return typeof given === 'function' ? functionReviewer(given) : given;
}

/**
 * Returns a function that checks whether an approval came from this reviewer and is still in force in the
 * session.
 */
export function isInForce(
  { by: own, policy, mayAllow }: Reviewer,
  session: { readonly state: RunState },
): (by: ReviewerActor, interrupt: Interrupt) => boolean {
  return (by, interrupt) =>
    isSameReviewer(own, by) && isYesInForce(session.state, { by, interrupt }, { policy, mayAllow });
}

/**
 * Reviews a call within the time limit. Does not wait for a reviewer that ignores its signal. `ended` is
 * aborted when the user ends the review (F1).
 */
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
    () => failed('stopped', 'stopped by the user'),
  );
  try {
    const asked = reviewer
      .review(request, any)
      .catch((thrown: unknown) => failed('unreachable', messageOf(thrown)));
    const first = await Promise.race([asked, late]);
    return ended.aborted ? failed('stopped', 'stopped by the user') : first;
  } finally {
    over.abort();
    await late;
  }
}
