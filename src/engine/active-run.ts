import type {
  Call,
  Interrupt,
  InterruptDraft,
  ModelRequest,
  RunEnd,
  RunState,
  SessionEvent,
} from '../core/index.js';
import { fold, invariant, isSuspension, replySettings, withCallPeople } from '../core/index.js';
import type { InterruptMint } from './interrupts.js';
import { bindingOf, InterruptFactory, toolSource } from './interrupts.js';
import type { Limits, ReachedLimit } from './limits.js';
import { isUncertain, limitDraft } from './limits.js';
import type { Step } from './next-step.js';
import { nextStep } from './next-step.js';
import type { EngineEvent, PromptedRun, RunOptions } from './run-options.js';
import { NOT_STARTED } from './run-tool.js';
import type { Stop } from './stop.js';

/** Why a run stopped, and its state at that point. */
export type RunOutcome =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly state: RunState; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly interrupts: readonly Interrupt[]; readonly state: RunState };

/**
 * Events of a run, followed by its result. The consumer may pass back the state that it has already computed
 * from them.
 */
export type Steps<T> = AsyncGenerator<EngineEvent, T, RunState | undefined>;

/** Events of a run that are emitted synchronously. */
type Told<T> = Generator<EngineEvent, T, RunState | undefined>;

const NO_LIMITS: Limits = {};

/**
 * A run in progress. It holds the state, the options and the stop signal, and has methods that emit events
 * and end the run.
 */
export class ActiveRun {
  state: RunState;
  readonly options: RunOptions;
  readonly stop: Stop;
  readonly #startedAt: number;
  #unsaid: string | undefined;
  #counted: { readonly view: RunState['view']; readonly tokens: number | undefined } | undefined;

  constructor(state: RunState, options: PromptedRun, stop: Stop) {
    this.state = state;
    this.options = options;
    this.stop = stop;
    this.#startedAt = options.clock.now();
    this.#unsaid = options.prompt;
  }

  /**
   * Returns the next step. If the step depends on an estimated context size, the provider is first asked to
   * count the tokens.
   */
  async next(): Promise<Step> {
    const step = this.#step();
    if (!this.#needsCount(step)) return step;
    const { view } = this.state;
    this.#counted = { view, tokens: await this.#count() };
    return this.#step();
  }

  #step(): Step {
    const { limits = NO_LIMITS, clock, tools, stopWhen, system } = this.options;
    const room = this.options.room?.();
    const counted = this.#counted?.view === this.state.view ? this.#counted.tokens : undefined;
    const elapsedMs = clock.now() - this.#startedAt;
    return nextStep(this.state, { tools, limits, elapsedMs, stopWhen, system, room, counted });
  }

  #needsCount(step: Step): boolean {
    const { room: roomOf, model } = this.options;
    if (roomOf === undefined || model.countTokens === undefined || !asksModel(step)) return false;
    const room = roomOf();
    if (room === undefined || this.#unsaid !== undefined || this.#counted?.view === this.state.view)
      return false;
    return isUncertain(this.state, room, this.options);
  }

  /** Asks the provider to count the tokens; `undefined` if it cannot, so that the estimate is used. */
  async #count(): Promise<number | undefined> {
    try {
      return await this.options.model.countTokens?.(this.request(), this.stop.signal);
    } catch {
      return undefined; // whatever is wrong is reported by the request itself
    }
  }

  /** Returns the next request to the model. */
  request(attempt?: number): ModelRequest {
    const { tools, system, maxOutputTokens, outputSchema } = this.options;
    const { view, interruptCount } = this.state;
    return {
      messages: view,
      tools: tools.descriptors,
      ...(system !== undefined && { system }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(outputSchema !== undefined && { outputSchema }),
      ...replySettings(this.options),
      // After one question the next answer may take longer than a cache lives by default.
      ...(interruptCount > 0 && { cacheFor: 'hour' }),
      ...(attempt !== undefined && { attempt }),
    };
  }

  /**
   * Returns the user's message that was passed with the answers, on the first call only. The caller records
   * it.
   */
  takePrompt(): string | undefined {
    const prompt = this.#unsaid;
    this.#unsaid = undefined;
    return prompt;
  }

  interrupts(): InterruptMint {
    return (
      this.options.interrupts ??
      new InterruptFactory(this.state.interruptCount, () => this.options.clock.now())
    );
  }

  /**
   * Emits events as one durable batch, and applies them to the state once they are stored. A consumer that
   * also applies the events passes its state back, so that the run does not apply them again.
   * @param lazily whether storing may be delayed, because nothing outside the run depends on these events
   * before the next durable ones
   */
  *tell(events: readonly SessionEvent[], lazily = false): Told<void> {
    const folded = yield { durable: true, events, ...(lazily && { lazily }) };
    this.state = folded ?? fold(events, this.state);
  }

  /**
   * Ends the run after it was stopped. If it was suspended, no end is recorded, so that the session is left
   * as after a crash.
   */
  *halt(shown: { readonly partial?: string } = {}): Told<RunOutcome> {
    const reason = { type: 'aborted', ...shown } as const;
    if (isSuspension(this.stop.reason)) return { type: 'ended', reason, state: this.state };
    return yield* this.end(reason);
  }

  *end(reason: RunEnd, error?: unknown): Told<RunOutcome> {
    const stopped = reason.type === 'aborted' ? (this.state.open?.calls ?? []).flatMap(neverStarted) : [];
    yield* this.tell([...stopped, { type: 'run-ended', reason }]);
    return { type: 'ended', reason, state: this.state, ...(error !== undefined && { error }) };
  }

  /** Creates the question of whether to continue after a limit was reached. */
  limit(reached: ReachedLimit): SessionEvent {
    const draft = limitDraft(reached, this.options.runId);
    return { type: 'interrupt-raised', interrupt: this.interrupts().make(draft) };
  }

  /** Creates the questions about calls in doubt. */
  doubts(calls: readonly Call[]): readonly SessionEvent[] {
    const interrupts = this.interrupts();
    return calls.map((call) => ({
      type: 'interrupt-raised',
      interrupt: interrupts.make(withCallPeople(call, doubtDraft(call, this.state, this.options))),
    }));
  }
}

/** Whether a step concerns the next request to the model. */
function asksModel(step: Step): boolean {
  if (step.type === 'raise-limit') return step.reached.limit === 'context';
  return step.type === 'call-model' || step.type === 'compact';
}

/** Settles a call that had not started when the run was stopped, so that it never starts later (G14, G21). */
function neverStarted(call: Call): readonly SessionEvent[] {
  if (call.state.status !== 'ready') return [];
  return [{ type: 'tool-settled', ref: call.request.ref, outcome: NOT_STARTED }];
}

/**
 * Creates the question about a call that was running when its process ended (law 7). `next-step.ts` decides
 * that the call is in doubt, and `active-run.ts` creates the event. The equivalent for workflow nodes is in
 * `graph/run/next-graph-step.ts`, and its question is in `graph/run/questions.ts`.
 */
function doubtDraft(
  call: Call,
  state: RunState,
  { tools, runId }: Pick<RunOptions, 'tools' | 'runId'>,
): InterruptDraft {
  const { request, attempts, state: started } = call;
  invariant(started.status === 'started', `call \`${request.ref}\` is ${started.status}, not in doubt`);
  const tool = tools.get(request.name);
  const answerSchema = tool?.outputSchema;
  return {
    kind: 'in-doubt',
    source: toolSource(call, started, 'engine'),
    payload: { startedAt: started.startedAt, attempt: attempts, pid: state.writer?.pid ?? null },
    ...(answerSchema !== undefined && { answerSchema }),
    bound: bindingOf(tool, runId),
  };
}
