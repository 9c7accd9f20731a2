import type { Journal, RunState, SessionEvent } from '../core/index.js';
import { emptyState, evolve, fold, HitlError, isHitlError, isJsonObject } from '../core/index.js';

/** An in-memory journal. */
export interface MemoryJournal extends Journal {
  /** Everything appended. */
  readonly events: readonly SessionEvent[];
  /** The folded state. */
  readonly state: RunState;
}

/**
 * Creates an in-memory journal. It can start with the events of an earlier journal.
 * @throws HitlError ILLEGAL_EVENT for invalid events, as a session does.
 */
export function memoryJournal(before: readonly SessionEvent[] = []): MemoryJournal {
  const events = [...before];
  let state = fold(events, emptyState());
  return {
    get events() {
      return [...events];
    },
    get state() {
      return state;
    },
    async append(added) {
      for (const event of added) {
        // Through JSON, so that what cannot be saved is noticed and nobody changes it afterwards.
        const saved = structuredClone(event);
        state = evolve(state, saved);
        events.push(saved);
      }
    },
  };
}

/** The point at which a `crashJournal` fails: before or after an event. */
export interface CrashPoint {
  /** Number of the event, from 1. */
  readonly at: number;
  /** `before`: the event is lost. `after`: the event is saved, but not acknowledged. */
  readonly when: 'before' | 'after';
}

const CRASH = 'test-crash';

/** Whether an error was thrown by a `crashJournal`. */
export function isCrash(error: unknown): boolean {
  return isHitlError(error) && isJsonObject(error.detail) && error.detail['cause'] === CRASH;
}

/**
 * Creates a journal that fails before or after a given event, as if the process had died. Nothing is saved
 * after that. The events of a batch that precede the crash are saved.
 */
export function crashJournal(journal: Journal, { at, when }: CrashPoint): Journal {
  let written = 0;
  let isDead = false;

  function die(): never {
    throw new HitlError('SAVE_FAILED', `crash ${when} event ${at}`, { detail: { cause: CRASH } });
  }

  return {
    async append(events, options) {
      if (isDead) die();
      const room = when === 'before' ? at - 1 - written : at - written;
      const saved = events.slice(0, Math.max(0, room));
      written += saved.length;
      const dies = when === 'before' ? saved.length < events.length : written >= at;
      isDead = dies; // at once: what is appended before these are durable is lost too
      if (saved.length > 0) await journal.append(saved, options);
      if (dies) die();
    },
  };
}
