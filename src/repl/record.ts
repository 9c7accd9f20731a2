import type { AppendOptions, Renderer, RunState, Session, SessionEvent, StoredEvent } from '../core/index.js';
import type { EngineEvent, RunOutcome } from '../engine/index.js';

// Invariants:
// K1 An event is shown after it became durable, in the order of the journal (law 2).
// K2 What was kept lazily is durable and shown before anything that was kept after it, and before `flushed` resolves;
//    where it could not be made durable, those reject, and nothing more is appended.

/** Records the events of a conversation: writes them to the journal first, then shows them. */
export class Recorder {
  readonly #session: Session;
  readonly #renderer: Renderer;
  #last: Promise<void> = Promise.resolve();
  /** The error that prevented an event from being stored. Nothing is appended after it. */
  #lost: { readonly error: unknown } | undefined;

  constructor(session: Session, renderer: Renderer) {
    this.#session = session;
    this.#renderer = renderer;
  }

  /**
   * Makes events durable, then shows them. With `lazily`, resolves as soon as they have been appended and are
   * in `session.state`. Before anything external depends on them, record more events or await `flushed`.
   * @throws HitlError SAVE_FAILED if these events, or earlier ones, could not be made durable.
   */
  keep(events: readonly SessionEvent[], { lazily = false }: AppendOptions = {}): Promise<void> {
    const { version } = this.#session;
    const kept = this.#keep(events, { lazily });
    this.#last = kept;
    kept.catch((error: unknown) => {
      this.#lost ??= { error }; // whoever keeps more, or waits for this, is told
    });
    const isWritten = this.#session.version > version; // a session that takes them up later is waited for
    return lazily && isWritten ? Promise.resolve() : kept;
  }

  /**
   * Resolves when everything recorded is durable and shown.
   * @throws HitlError SAVE_FAILED
   */
  flushed(): Promise<void> {
    return this.#last;
  }

  /**
   * Advances the generator of a run until the run stops. Only this method advances it.
   * @throws HitlError SAVE_FAILED if an event could not be made durable; nothing that depends on it has
   * happened.
   */
  async record(events: AsyncGenerator<EngineEvent, RunOutcome>): Promise<RunOutcome> {
    try {
      for (;;) {
        const step = await events.next(this.#session.state);
        if (step.done === true) {
          await this.flushed();
          return step.value;
        }
        if (step.value.durable) await this.keep(step.value.events, step.value);
        else this.#renderer.transient(step.value.event);
      }
    } catch (thrown) {
      // After a failed append the run stops its tools, and waits for them, before anybody hears of it.
      await events.throw(thrown).catch(() => undefined); // the same error again
      const reason = { type: 'aborted' } as const;
      await events.return({ type: 'ended', reason, state: this.#session.state }); // where it had more to tell
      throw thrown;
    }
  }

  async #keep(events: readonly SessionEvent[], options: AppendOptions): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost.error;
    const before = this.#last;
    const { version } = this.#session;
    const appended = this.#session.append(events, options);
    const written = this.#session.version > version ? this.#here() : undefined;
    await appended;
    await before; // K1
    this.#show(events, written ?? this.#here());
  }

  /** Returns a snapshot of the session's version and state, which later appends do not change. */
  #here(): Here {
    const { version, state } = this.#session;
    return { version, state };
  }

  #show(events: readonly SessionEvent[], { version, state }: Here): void {
    const first = version - events.length + 1;
    events.forEach((event, index) => {
      this.#renderer.event(event, first + index, state);
    });
  }
}

interface Here {
  readonly version: number;
  readonly state: RunState;
}

/**
 * Stores the events of a run in its session and shows them. Each event is stored and shown before work that
 * depends on it continues.
 */
export function record(
  events: AsyncGenerator<EngineEvent, RunOutcome>,
  session: Session,
  renderer: Renderer,
): Promise<RunOutcome> {
  return new Recorder(session, renderer).record(events);
}

/** Makes events durable, then shows them. */
export function keep(events: readonly SessionEvent[], session: Session, renderer: Renderer): Promise<void> {
  return new Recorder(session, renderer).keep(events);
}

/** Reads all events of a session. */
export async function eventsOf(session: Session): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const stored of session.events()) all.push(stored);
  return all;
}
