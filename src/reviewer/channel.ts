import type { AskResult, Clock, HumanChannel, Interrupt, Review, RunState } from '../core/index.js';
import { allows, questionPlan, whyNotReviewed, whyPaused } from '../core/index.js';
import type { Reviewer } from './reviewer.js';
import { reviewInTime } from './reviewer.js';
import { reviewRequest } from './request.js';

/** Lets the user end a review. */
export interface ReviewStop extends Disposable {
  /** Aborts when the user ends the review. */
  readonly signal: AbortSignal;
}

/** The reviewer of a session, and the conditions for asking it. */
export interface ReviewerChannelOptions {
  readonly reviewer: Reviewer;
  readonly clock: Clock;
  /**
   * Whether calls are currently reviewed, for example in mode `auto` and within the session's limits.
   * Default: always.
   */
  readonly isOn?: (state: RunState) => boolean;
  /** Lets the user end a review and decide instead. Default: reviews cannot be ended. */
  readonly stoppable?: () => ReviewStop;
}

/**
 * Creates a channel that asks a reviewer and leaves open every question that the reviewer does not allow.
 * Each verdict is written to the journal before it takes effect. A verdict already in the journal for the
 * same question and policy is reused.
 */
export function createReviewerChannel(options: ReviewerChannelOptions): HumanChannel {
  return {
    async ask(open, given, signal, help): Promise<AskResult> {
      let state = given;
      for (const interrupt of open) {
        if (help?.reviewed === undefined || !mayReview(interrupt, state, options)) continue;
        let review = reviewIn(state, interrupt, options.reviewer);
        if (review === undefined) {
          help.reviewing?.(options.reviewer.by.name);
          const made = await makeReview(interrupt, state, options, signal);
          if (made === 'withdrawn') return { type: 'left-open', why: 'stopped' };
          state = await help.reviewed(made);
          review = made;
        }
        if (!allows(review)) continue;
        const { id, digest } = interrupt;
        const answer = { id, digest, resolution: { action: 'restart' }, by: options.reviewer.by } as const;
        return { type: 'answered', answer };
      }
      return { type: 'left-open', why: 'no reviewer allowed this' };
    },
  };
}

function mayReview(
  interrupt: Interrupt,
  state: RunState,
  { isOn = () => true }: ReviewerChannelOptions,
): boolean {
  return (
    whyPaused(state.reviewStreak) === undefined &&
    whyNotReviewed(interrupt, state) === undefined &&
    isOn(state)
  );
}

/** Returns the review of a question by the same reviewer under the same policy, if it is in the journal. */
function reviewIn({ reviews = [] }: RunState, interrupt: Interrupt, reviewer: Reviewer): Review | undefined {
  const { by, policy, mayAllow } = reviewer;
  return reviews.find(
    (one) =>
      one.id === interrupt.id &&
      one.digest === interrupt.digest &&
      one.plan === questionPlan(interrupt) &&
      one.by.name === by.name &&
      one.by.via === by.via &&
      one.policy === policy &&
      one.mayAllow === mayAllow,
  );
}

async function makeReview(
  interrupt: Interrupt,
  state: RunState,
  { reviewer, clock, stoppable }: ReviewerChannelOptions,
  signal: AbortSignal,
): Promise<Review | 'withdrawn'> {
  using stop = stoppable?.();
  const ended = stop?.signal ?? new AbortController().signal;
  const found = await reviewInTime(reviewer, reviewRequest(interrupt, state), { clock, ended, signal });
  if (signal.aborted) return 'withdrawn';
  const { by, policy, mayAllow } = reviewer;
  const { id, digest } = interrupt;
  return { id, digest, plan: questionPlan(interrupt) ?? '', policy, by, mayAllow, ...found };
}
