import type {
  Answer,
  Clock,
  HumanChannel,
  Interrupt,
  LiveEvent,
  Renderer,
  RunResult,
  RunState,
  Session,
  SessionEvent,
  SessionId,
} from '../../core/index.js';
import {
  HitlError,
  isoTime,
  notWaiting,
  openInterrupt,
  openInterrupts,
  Suspension,
} from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';
import { createPolicyChannel } from '../../human/index.js';
import type { FlowRunner, Rest } from '../../repl/index.js';
import { converse } from '../../repl/index.js';
import { checkAnswers } from './check-answers.js';
import { eventsBehind } from './events-behind.js';
import { GivenAnswers } from './given-answers.js';
import { LiveRun } from './live-run.js';
import { stopped } from './result.js';

/** The things that every run of a session has in common. */
export interface LiveSessionOptions<Result extends RunResult = RunResult> {
  readonly session: Session;
  /** Gives what a run came to. @throws HitlError what it failed with */
  readonly resultOf: (rest: Rest, state: RunState, signal: AbortSignal) => Result;
  /** Somebody may answer and send while it runs. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly run: RunOptions;
  readonly flow?: FlowRunner;
  /** The person who is asked at once. Default: nobody, and questions stay open. */
  readonly channel?: HumanChannel;
}

/** The signal that stops what runs. */
export interface StopOptions {
  /** Stops the run; what was done by then is kept. Default: nothing does, but closing. */
  readonly signal?: AbortSignal;
}

/** The part of a session’s events that is wanted. */
export interface EventsOptions {
  /** The number of the last event that is known already. Default 0: every event is told. */
  readonly after?: number;
}

/** The hands of a run. */
export interface Stretch {
  readonly renderer: Renderer;
  /** Goes on to the next rest; events that it begins with are kept, and share their flush with what they start. */
  readonly goOn: (first?: readonly SessionEvent[]) => Promise<Rest>;
}

// Invariants:
// C1 One run at a time: a second one is refused, and changes nothing.
// C2 Closing waits for the run, which is left as a crash leaves it, and then gives the session back.

/** A session that a program holds: one run at a time, its events, and its end. */
export class LiveSession<Result extends RunResult = RunResult> {
  readonly #options: LiveSessionOptions<Result>;
  readonly #closing = new AbortController();
  /** Keeps others out: a run, or a change. */
  #busy: Promise<unknown> | undefined;
  #run: LiveRun<Result> | undefined;

  constructor(options: LiveSessionOptions<Result>) {
    this.#options = options;
  }

  get id(): SessionId {
    return this.#options.session.id;
  }

  get state(): RunState {
    return this.#options.session.state;
  }

  get open(): readonly Interrupt[] {
    return openInterrupts(this.state);
  }

  /** Begins a run. Whatever is wrong, the run ends with it. */
  begin(work: (stretch: Stretch) => Promise<Rest>, options?: StopOptions): LiveRun<Result> {
    return this.#begin(({ renderer, signal }) => {
      const channel = this.#answering([]);
      return work({ renderer, goOn: (first) => this.#converse({ renderer, channel }, signal, first) });
    }, options);
  }

  /** Gives answers, and goes on where nothing else waits. All are looked at before any is kept. */
  answer(answers: readonly Answer[], options?: StopOptions): LiveRun<Result> {
    return this.#begin(async ({ renderer, signal }) => {
      await checkAnswers(this.state, answers, ({ id }) => this.#toolsFor(id));
      const channel = this.#answering(answers);
      const rest = await this.#converse({ renderer, channel }, signal);
      const [late] = channel.left;
      if (late !== undefined && openInterrupt(this.state, late.id) === undefined)
        throw notWaiting(this.state, late.id);
      return rest;
    }, options);
  }

  /** The events behind one that is known: of the journal, and then what happens until the run rests. */
  events({ after = 0 }: EventsOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return eventsBehind(this.#options.session, this.#run, after);
  }

  /** Changes the session where nothing runs (C1). @throws HitlError SESSION_BUSY, SESSION_CLOSED, and what the work throws */
  async change<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const refused = this.#refusal();
    if (refused !== undefined) throw refused;
    const changing = work(this.#options.session);
    this.#busy = changing;
    try {
      return await changing;
    } finally {
      this.#busy = undefined;
    }
  }

  /** Closes it (C2). */
  async close(): Promise<void> {
    this.#closing.abort(new Suspension('the session was closed'));
    await Promise.allSettled([this.#busy]); // whoever began it is told
    await this.#options.session[Symbol.asyncDispose]();
  }

  #begin(
    work: (hands: { readonly renderer: Renderer; readonly signal: AbortSignal }) => Promise<Rest>,
    { signal: given }: StopOptions = {},
  ): LiveRun<Result> {
    const refused = this.#refusal();
    if (refused !== undefined) return new LiveRun(() => Promise.reject(refused));
    const { session, resultOf } = this.#options;
    const signal = AbortSignal.any([
      this.#closing.signal,
      session.lost,
      ...(given === undefined ? [] : [given]),
    ]);
    const running = new LiveRun<Result>(async (tell) => {
      try {
        if (signal.aborted) throw stopped(signal);
        const rest = await work({ renderer: this.#renderer(tell), signal });
        await session.saveTranscript?.();
        const result = resultOf(rest, session.state, signal);
        tell({ session: session.id, type: 'rested', result });
        return result;
      } finally {
        this.#busy = undefined;
        this.#run = undefined;
      }
    });
    this.#busy = running;
    this.#run = running;
    return running;
  }

  /** C1. */
  #refusal(): HitlError | undefined {
    if (this.#closing.signal.aborted)
      return new HitlError('SESSION_CLOSED', `session ${this.id} is closed`, { hint: 'open it again' });
    if (this.#busy === undefined) return undefined;
    return new HitlError('SESSION_BUSY', `session ${this.id} runs already, and does one thing at a time`, {
      hint: '`await` what the call before gave',
    });
  }

  #answering(answers: readonly Answer[]): GivenAnswers {
    const { channel, clock, run } = this.#options;
    return new GivenAnswers(answers, channel, () =>
      createPolicyChannel({ toolNow: (name) => run.tools.get(name), now: () => clock.now() }),
    );
  }

  #converse(
    { renderer, channel }: { readonly renderer: Renderer; readonly channel: HumanChannel },
    signal: AbortSignal,
    first?: readonly SessionEvent[],
  ): Promise<Rest> {
    const { session, run, flow, isShared } = this.#options;
    const elsewhere = isShared ? { posted: session.answers(), inbox: session.inbox() } : {};
    return converse({ session, run, channel, renderer, ...elsewhere, ...(flow && { flow }) }, signal, first);
  }

  async #toolsFor(id: string): Promise<RunOptions['tools']> {
    const { flow, run } = this.#options;
    const path = openInterrupt(this.state, id)?.path;
    return path === undefined || flow === undefined ? run.tools : flow.toolsAt(path, this.state);
  }

  #renderer(tell: (event: LiveEvent) => void): Renderer {
    const { clock } = this.#options;
    const session = this.id;
    return {
      event: (event, seq) => {
        tell({ session, seq, at: isoTime(clock.now()), ...event });
      },
      transient: (event) => {
        tell({ session, ...event });
      },
      notice: (text) => {
        tell({ session, type: 'notice', text });
      },
      pause: () => undefined,
      stopped: () => undefined,
    };
  }
}
