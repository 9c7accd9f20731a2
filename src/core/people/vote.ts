import type { InterruptId } from '../ids.js';
import type { JsonValue } from '../json/index.js';
import { jsonEquals } from '../json/index.js';
import type { Actor, Resolution } from '../resolution.js';
import type { Approvable } from './approvers.js';
import { neededBy } from './approvers.js';

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

/** True where somebody else than whoever wrote an input has to see it. */
export function isFourEyes({ approvers }: Approvable): boolean {
  return neededBy(approvers) > 1 || approvers?.notRequester === true;
}

/** The parts of a question about a call that say what an edit of it does. */
interface AskedCall extends Approvable {
  readonly source: { readonly type: string; readonly input?: JsonValue };
  readonly edit?: 'required' | 'refused';
}

/** True for an edit that only proposes an input (V5 of `../votes/voter.ts`). A question that wants an edit is answered by one. */
export function isProposal(
  interrupt: AskedCall,
  resolution: Resolution,
): resolution is Resolution & { readonly action: 'restart' } {
  const { source, edit } = interrupt;
  if (resolution.action !== 'restart' || resolution.input === undefined) return false;
  if (source.type !== 'tool' || source.input === undefined) return false;
  if (edit === 'required' || !isFourEyes(interrupt)) return false;
  return !jsonEquals(resolution.input, source.input);
}
