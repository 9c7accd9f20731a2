import type { AskResult, Clock, HumanChannel, Interrupt, Review, RunState } from '../core/index.js';
import { allows, questionPlan, whyNotReviewed, whyPaused } from '../core/index.js';
import type { Reviewer } from './reviewer.js';
import { reviewInTime } from './reviewer.js';
import { reviewRequest } from './request.js';

/** A person's way to end a review. */
export interface ReviewStop extends Disposable {
  /** Aborts when the person ends the review. */
  readonly signal: AbortSignal;
}

/** The reviewer of a session, and when it is asked. */
export interface ReviewerChannelOptions {
  readonly reviewer: Reviewer;
  readonly clock: Clock;
  /** Whether calls are reviewed now, such as in mode `auto`, and within the limits of the session. Default: always. */
  readonly isOn?: (state: RunState) => boolean;
  /** Lets a person end a review, and be asked. Default: nobody can. */
  readonly stoppable?: () => ReviewStop;
}

/**
 * Creates a channel that asks a reviewer, and leaves open what that does not allow. Each verdict is in the journal
 * before it counts; one that is there already, for the same question and by the same policy, is not asked for again.
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
      return { type: 'left-open', why: 'no reviewer allows this' };
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

/** The review that the journal has of a question, by the same reviewer under the same policy. */
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
