import type { InterruptId } from '../ids.js';
import type { Actor, Resolution } from '../resolution.js';

/** A person’s word about a question that needs more than one. */
export interface Vote {
  readonly by: Actor;
  readonly resolution: Resolution;
  /** ISO 8601. */
  readonly castAt: string;
  /** Names the answer that was posted; what is posted again under it counts once. */
  readonly receipt?: string;
}

/** A vote, and the question that it is about. */
export interface CastVote extends Vote {
  readonly id: InterruptId;
}
