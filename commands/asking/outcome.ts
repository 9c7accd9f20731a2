import type { JsonValue, SessionId } from '../../src/core/index.js';
import { actorName } from '../../src/core/index.js';
import type { Account, Standing } from './standing.js';

/** What became of a question, as a document for the program that asked. */
export interface Outcome {
  readonly id: SessionId;
  readonly status: 'waiting' | 'answered' | 'approved' | 'rejected' | 'used';
  /** The question’s digest: what was answered is what was shown. */
  readonly digest?: string;
  readonly answer?: JsonValue;
  readonly reason?: string;
  /** Who answered. */
  readonly by?: string;
  /** ISO 8601. */
  readonly at?: string;
  /** ISO 8601: when the question expires. */
  readonly expiresAt?: string;
}

/** Describes a question’s status with its question and answer. */
export function outcomeOf(id: SessionId, standing: Standing, { interrupt, resolved }: Account): Outcome {
  const { status } = standing;
  const isOpen = status === 'waiting';
  return {
    id,
    status: status === 'declined' ? 'rejected' : status,
    ...(status === 'answered' && { answer: standing.answer }),
    ...(status === 'declined' && standing.reason !== undefined && { reason: standing.reason }),
    ...(!isOpen && resolved !== undefined && { by: actorName(resolved.by) }),
    ...(!isOpen && resolved?.resolvedAt !== undefined && { at: resolved.resolvedAt }),
    ...(interrupt !== undefined && { digest: interrupt.digest }),
    ...(isOpen && interrupt?.expiresAt !== undefined && { expiresAt: interrupt.expiresAt }),
  };
}
