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
  ToolSet,
  AskingHelp,
  AskResult,
} from '../../core/index.js';
import {
  HitlError,
  isoTime,
  notWaiting,
  openInterrupt,
  openInterrupts,
  Suspension,
  isJsonObject,
  toolSetOf,
} from '../../core/index.js';
import type { RunOptions, ResumeProblem } from '../../engine/index.js';
import { checkResume } from '../../engine/index.js';
import { createPolicyChannel } from '../../human/index.js';
import type { FlowRunner, Rest } from '../../repl/index.js';
import { converse } from '../../repl/index.js';
import { eventsBehind } from './events-behind.js';
import { LiveRun } from './live-run.js';
import { stopped } from './result.js';

/** Options shared by all runs of a session. */
export interface LiveSessionOptions<Result extends RunResult = RunResult> {
  readonly session: Session;
  /**
   * Returns the result of a run.
   * @throws HitlError the error with which the run failed
   */
  readonly resultOf: (rest: Rest, state: RunState, signal: AbortSignal) => Result;
  /** Whether other processes may answer and send messages during a run. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly run: RunOptions;
  readonly flow?: FlowRunner;
  /** Channel to the person to ask immediately. Default: none, so questions stay open. */
  readonly channel?: HumanChannel;
}

/** Options for stopping a run. */
export interface StopOptions {
  /**
   * Signal that stops the run. Completed work is saved. By default, only closing the session stops the run.
   */
  readonly signal?: AbortSignal;
}

/** Specifies which events of a session to return. */
export interface EventsOptions {
  /** Number of the last known event. Default: 0, which returns all events. */
  readonly after?: number;
}

/** Functions with which work can control its run. */
export interface Stretch {
  readonly renderer: Renderer;
  /**
   * Continues until the run stops again. The given events are saved together with the first events that
   * follow from them.
   */
  readonly goOn: (first?: readonly SessionEvent[]) => Promise<Rest>;
}

// Invariants:
// C1 One run at a time: a second one is refused, and changes nothing.
// C2 Closing waits for the run, which is left as a crash leaves it, and then gives the session back.

/**
 * Validates all answers before any of them is stored.
 * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, NOT_ELIGIBLE for an ineligible approver,
 * BAD_ANSWER
 */
async function checkAnswers(
  state: RunState,
  answers: readonly Answer[],
  toolsFor: (answer: Answer) => Promise<ToolSet>,
): Promise<void> {
  if (answers.length === 0) throw new HitlError('BAD_ANSWER', 'no answers given');
  const problems: ResumeProblem[] = [];
  for (const answer of answers) {
    const tools = isJsonObject(answer) ? await toolsFor(answer) : toolSetOf([]);
    const found = await checkResume(state, [answer], tools, { complete: false });
    const gone = found.find(({ kind }) => kind === 'unknown' || kind === 'stale');
    if (gone !== undefined) throw notWaiting(state, answer.id);
    problems.push(...found);
  }
  if (problems.length === 0) {
    if (new Set(answers.map(({ id }) => id)).size === answers.length) return;
    throw new HitlError('BAD_ANSWER', 'a question has two answers; pass only one');
  }
  const isOfOthers = problems.every(({ kind }) => kind === 'not-eligible');
  throw new HitlError(
    isOfOthers ? 'NOT_ELIGIBLE' : 'BAD_ANSWER',
    problems.map(({ message }) => message).join('; '),
    {
      hint: 'the question is still open',
      detail: { problems },
    },
  );
}

/**
 * Answers questions with the caller's answers, each used once. Questions without such an answer are answered
 * by the session's rules or passed on to the person's channel.
 */
class GivenAnswers implements HumanChannel {
  readonly interactive: boolean;
  readonly #person: HumanChannel | undefined;
  readonly #allowed: (() => HumanChannel) | undefined;
  #left: readonly Answer[];

  /** @param allowed creates the channel for the session's rules; called only if the session has rules */
  constructor(answers: readonly Answer[], person: HumanChannel | undefined, allowed?: () => HumanChannel) {
    this.#left = answers;
    this.#allowed = allowed;
    this.#person = person;
    this.interactive = person?.interactive === true && answers.length === 0;
  }

  /** Answers that were not used, because their questions had already been answered by others. */
  get left(): readonly Answer[] {
    return this.#left;
  }

  async ask(
    open: readonly Interrupt[],
    state: RunState,
    signal: AbortSignal,
    help?: AskingHelp,
  ): Promise<AskResult> {
    const answer = this.#left.find(({ id }) => open.some((interrupt) => interrupt.id === id));
    if (answer !== undefined) {
      this.#left = this.#left.filter((one) => one !== answer);
      return { type: 'answered', answer };
    }
    const rules = state.rules.length === 0 ? undefined : this.#allowed?.();
    const ruled = await rules?.ask(open, state, signal);
    if (ruled?.type === 'answered') return ruled;
    if (this.#person !== undefined) return this.#person.ask(open, state, signal, help);
    return { type: 'left-open', why: 'no person is available to ask' };
  }
}

/**
 * A session that a program has opened. Performs one run at a time, reports its events, and closes the
 * session.
 */
export class LiveSession<Result extends RunResult = RunResult> {
  readonly #options: LiveSessionOptions<Result>;
  readonly #closing = new AbortController();
  /** The run or change in progress. No other run or change can start until it has ended. */
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

  /** Starts a run. Errors are reported through its result. */
  begin(work: (stretch: Stretch) => Promise<Rest>, options?: StopOptions): LiveRun<Result> {
    return this.#begin(({ renderer, signal }) => {
      const channel = this.#answering([]);
      return work({ renderer, goOn: (first) => this.#converse({ renderer, channel }, signal, first) });
    }, options);
  }

  /**
   * Records answers, and continues if no other question is open. All answers are validated before any is
   * stored.
   */
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

  /**
   * Returns the events after a known event: first those in the journal, then new ones until the run stops.
   */
  events({ after = 0 }: EventsOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return eventsBehind(this.#options.session, this.#run, after);
  }

  /**
   * Changes the session while no run is in progress (C1).
   * @throws HitlError SESSION_BUSY, SESSION_CLOSED, and any error thrown by `work`
   */
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
    return new HitlError('SESSION_BUSY', `session ${this.id} is busy`, {
      hint: '`await` the previous call first',
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
