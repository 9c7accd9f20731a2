import type { SessionId } from '../../src/core/index.js';
import { actorName } from '../../src/core/index.js';
import type { QuestionOutcome } from '../../src/server/index.js';
import type { Account, Standing } from './standing.js';

/** Describes a question’s status with its question and answer. */
export function outcomeOf(
  id: SessionId,
  standing: Standing,
  { interrupt, resolved }: Account,
): QuestionOutcome {
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
