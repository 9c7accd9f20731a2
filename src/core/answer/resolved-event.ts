import type { SessionEvent } from '../event.js';
import type { SealedAnswer } from '../secret/index.js';
import type { RunState } from '../state.js';
import { openInterrupt } from '../state.js';

/** The event that makes an answer durable, at the place that asks. @param resolvedAt ISO 8601 */
export function resolvedEvent(
  { answer, secrets }: SealedAnswer,
  state: RunState,
  resolvedAt: string,
): SessionEvent {
  const { id, digest, resolution, by } = answer;
  const scope = openInterrupt(state, id)?.path ?? '';
  return {
    type: 'interrupt-resolved',
    id,
    digest,
    resolution,
    by,
    resolvedAt,
    ...(secrets.length > 0 && { secrets }),
    ...(scope !== '' && { scope }),
  };
}
