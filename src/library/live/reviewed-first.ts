import type { Clock, HumanChannel } from '../../core/index.js';
import { firstOf } from '../../human/index.js';
import type { Reviewer, ReviewFunction } from '../../reviewer/index.js';
import { createReviewerChannel, reviewerOf } from '../../reviewer/index.js';

/** The channel of a session: its reviewer, if there is one, and then its person. */
export function reviewedFirst(
  given: Reviewer | ReviewFunction | undefined,
  person: HumanChannel | undefined,
  clock: Clock,
): { readonly channel?: HumanChannel } {
  if (given === undefined) return person === undefined ? {} : { channel: person };
  const reviewer = createReviewerChannel({ reviewer: reviewerOf(given), clock });
  return { channel: person === undefined ? reviewer : firstOf(reviewer, person) };
}
