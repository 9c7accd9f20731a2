import type { Clock, HumanChannel, SessionStore } from '../../core/index.js';
import { HitlError } from '../../core/index.js';
import { firstOf } from '../../human/index.js';
import type { Reviewer, ReviewFunction } from '../../reviewer/index.js';
import { createReviewerChannel, reviewerOf } from '../../reviewer/index.js';

/**
 * Returns the channel of a session. If there is a reviewer, the channel asks the reviewer before the person.
 */
export function reviewedFirst(
  given: Reviewer | ReviewFunction | undefined,
  person: HumanChannel | undefined,
  clock: Clock,
): { readonly channel?: HumanChannel } {
  if (given === undefined) return person === undefined ? {} : { channel: person };
  const reviewer = createReviewerChannel({ reviewer: reviewerOf(given), clock });
  return { channel: person === undefined ? reviewer : firstOf(reviewer, person) };
}

/**
 * Rejects a reviewer if older versions of hitl may still use the store, because these versions cannot read
 * sessions that contain a review.
 * @throws HitlError BAD_CONFIG
 */
export async function checkReviews(
  { capabilities: { upgrade } }: SessionStore,
  reviewer: Reviewer | ReviewFunction | undefined,
): Promise<void> {
  if (reviewer === undefined || upgrade === undefined || (await upgrade.state()).isDone) return;
  throw new HitlError(
    'BAD_CONFIG',
    '`reviewer` cannot be used with this store: older programs may be using it',
    {
      hint: 'older programs cannot read its sessions; when all are upgraded, run: hitl store upgrade',
    },
  );
}
