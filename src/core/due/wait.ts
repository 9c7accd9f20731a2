import type { Interrupt } from '../interrupt.js';

/** Something that a run waits for and no person is asked: a moment, or an event from outside. */
export type Wait =
  | { readonly type: 'timer'; /** ISO 8601. */ readonly until: string }
  | {
      readonly type: 'event';
      readonly event: string;
      /** ISO 8601: when it goes on without the event. */
      readonly until?: string;
    };

/** The one place that tells what waits for time, or for an event, from what asks somebody. */
export function waitOf({ source, expiresAt }: Pick<Interrupt, 'source' | 'expiresAt'>): Wait | undefined {
  if (source.type !== 'node' || source.wait === undefined) return undefined;
  if (source.wait === 'timer') return { type: 'timer', until: expiresAt ?? '' };
  return {
    type: 'event',
    event: source.event ?? '',
    ...(expiresAt !== undefined && { until: expiresAt }),
  };
}

/** True where a person is asked: it belongs into an inbox, and takes an answer that names no question. */
export function isQuestion(interrupt: Pick<Interrupt, 'source' | 'expiresAt'>): boolean {
  return waitOf(interrupt) === undefined;
}

/** Says in plain words what a run waits for, without until when: `sleeps`, `waits for event paid`. */
export function waitVerb(wait: Wait): string {
  return wait.type === 'timer' ? 'sleeps' : `waits for event ${wait.event}`;
}
