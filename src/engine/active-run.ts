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

/** Why a run stopped, and its state. */
export type RunOutcome =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly state: RunState; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly interrupts: readonly Interrupt[]; readonly state: RunState };

/** A run's events, followed by its result. The consumer may pass in the state that it has folded. */
export type Steps<T> = AsyncGenerator<EngineEvent, T, RunState | undefined>;

/** Events that need no waiting. */
type Told<T> = Generator<EngineEvent, T, RunState | undefined>;

const NO_LIMITS: Limits = {};

/** A run in progress: state, input, stop, and methods to emit events and end. */
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

  /** Returns the next step. If it depends on an estimated context size, asks the provider for a token count first. */
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

  /** Falls back to the estimate if the provider cannot count. */
  async #count(): Promise<number | undefined> {
    try {
      return await this.options.model.countTokens?.(this.request(), this.stop.signal);
    } catch {
      return undefined; // whatever is wrong is reported by the request itself
    }
  }

  /** The next request to the model. */
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

  /** Returns the user's message that came with the answers, once; the caller records it. */
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
   * Emits events as one durable batch, and folds them once stored. If the consumer folds events too, it
   * passes its state in, so the run does not fold them again.
   * @param lazily nothing outside depends on them before the next durable events
   */
  *tell(events: readonly SessionEvent[], lazily = false): Told<void> {
    const folded = yield { durable: true, events, ...(lazily && { lazily }) };
    this.state = folded ?? fold(events, this.state);
  }

  /** Ends the run after a stop. A suspension records no end and leaves the session as a crash does. */
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

  /** The question whether to continue after a limit was reached. */
  limit(reached: ReachedLimit): SessionEvent {
    const draft = limitDraft(reached, this.options.runId);
    return { type: 'interrupt-raised', interrupt: this.interrupts().make(draft) };
  }

  /** Creates the in-doubt questions of calls. */
  doubts(calls: readonly Call[]): readonly SessionEvent[] {
    const interrupts = this.interrupts();
    return calls.map((call) => ({
      type: 'interrupt-raised',
      interrupt: interrupts.make(withCallPeople(call, doubtDraft(call, this.state, this.options))),
    }));
  }
}

/** Whether a step is about the next request to the model. */
function asksModel(step: Step): boolean {
  if (step.type === 'raise-limit') return step.reached.limit === 'context';
  return step.type === 'call-model' || step.type === 'compact';
}

/** Answers a call that had not started at the stop: it never starts later (G14, G21). */
function neverStarted(call: Call): readonly SessionEvent[] {
  if (call.state.status !== 'ready') return [];
  return [{ type: 'tool-settled', ref: call.request.ref, outcome: NOT_STARTED }];
}

/**
 * Creates the question about a call that was running when its process ended (law 7). `next-step.ts` decides
 * that a call is in doubt, and `active-run.ts` creates the event; for workflow nodes this is
 * `graph/run/next-graph-step.ts`, with the question in `graph/run/questions.ts`.
 */
function doubtDraft(
  call: Call,
  state: RunState,
  { tools, runId }: Pick<RunOptions, 'tools' | 'runId'>,
): InterruptDraft {
  const { request, attempts, state: started } = call;
  invariant(started.status === 'started', `call \`${request.ref}\` is ${started.status}, and not in doubt`);
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
