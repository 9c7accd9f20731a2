import type { Answer, Interrupt, LiveEvent, RunResult, RunState, SessionId } from '../../core/index.js';
import type { LiveRun } from './live-run.js';
import type { EventsOptions, LiveSession } from './live-session.js';

/** Base class of chats and workflows that a program has opened. */
export abstract class HeldSession<Result extends RunResult = RunResult> implements AsyncDisposable {
  readonly #live: LiveSession<Result>;

  constructor(live: LiveSession<Result>) {
    this.#live = live;
  }

  get id(): SessionId {
    return this.#live.id;
  }

  get open(): readonly Interrupt[] {
    return this.#live.open;
  }

  get runState(): RunState {
    return this.#live.state;
  }

  answer(...answers: readonly Answer[]): LiveRun<Result> {
    return this.#live.answer(answers);
  }

  events(options?: EventsOptions): AsyncIterable<LiveEvent> {
    return this.#live.events(options);
  }

  close(): Promise<void> {
    return this.#live.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
