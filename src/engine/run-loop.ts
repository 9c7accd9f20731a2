import type { Call, Interrupt, RunEnd, RunState, SessionEvent } from '../core/index.js';
import { fold, isSuspension, withCallPeople } from '../core/index.js';
import { doubtDraft } from './in-doubt.js';
import { InterruptFactory } from './interrupt-factory.js';
import type { Limits, ReachedLimit } from './limits.js';
import { limitDraft } from './limits.js';
import { nextStep } from './next-step.js';
import { requestOf } from './request-of.js';
import { isUncertain } from './room-step.js';
import type { Step } from './next-step.js';
import type { EngineEvent, InterruptMint, PromptedRun, RunOptions } from './run-options.js';
import { NOT_STARTED } from './run-tool.js';
import type { Stop } from './stop.js';

/** The reason why a run stopped, with the state it stopped in. */
export type RunOutcome =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly state: RunState; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly interrupts: readonly Interrupt[]; readonly state: RunState };

type Bare<Outcome> = Outcome extends RunOutcome ? Omit<Outcome, 'state'> : never;

const NO_LIMITS: Limits = {};

/** The events of a run, on the way to its result. */
export type Steps<T> = AsyncGenerator<EngineEvent, T, RunState | undefined>;

/** The last events of a run, and its outcome. */
export type Ending = Generator<EngineEvent, RunOutcome, RunState | undefined>;

/**
 * A request to the model, or a round of tools: what most of a run is made of. `run` asks it for its events and yields
 * them itself, because each layer of generators costs a few promises an event.
 */
export interface Stage {
  /** The next event to tell, at once where it is there; `undefined` where there is none any more. */
  next(): EngineEvent | undefined | Promise<EngineEvent | undefined>;
  /** The event was taken, and kept where it is durable. @param state with it, where the consumer has one */
  told(event: EngineEvent, state: RunState | undefined): void;
  /** Stops what is still on its way, and waits for it. */
  leave(): Promise<void>;
  /** Gives how the run ends behind this; `undefined` where it goes on. */
  end(): Ending | undefined;
}

/** A run between two events. Disposing of it waits for what is still on its way. */
export class RunLoop implements AsyncDisposable {
  state: RunState;
  /** The part that tells of itself just now, or did so last. */
  stage: Stage | undefined;
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

  /** The words of the user that came with the answers, once: whoever takes them says them. */
  takePrompt(): string | undefined {
    const prompt = this.#unsaid;
    this.#unsaid = undefined;
    return prompt;
  }

  /** The next thing to do; where it hangs on an estimate of what fits the model, its provider counts first. */
  next(): Step | Promise<Step> {
    const step = this.#step();
    const { room: roomOf, model } = this.options;
    if (roomOf === undefined || model.countTokens === undefined || !asksModel(step)) return step;
    const room = roomOf();
    if (room === undefined || this.#unsaid !== undefined || this.#counted?.view === this.state.view)
      return step;
    return isUncertain(this.state, room, this.options) ? this.#countedStep() : step;
  }

  async #countedStep(): Promise<Step> {
    const { view } = this.state;
    this.#counted = { view, tokens: await this.#count() };
    return this.#step();
  }

  /** The count is a help: where there is none the estimate stands. */
  async #count(): Promise<number | undefined> {
    try {
      return await this.options.model.countTokens?.(requestOf(this.state, this.options), this.stop.signal);
    } catch {
      return undefined; // whatever is wrong is told by the request itself
    }
  }

  #step(): Step {
    const { limits = NO_LIMITS, clock, tools, stopWhen, system } = this.options;
    const room = this.options.room?.();
    const counted = this.#counted?.view === this.state.view ? this.#counted.tokens : undefined;
    const elapsedMs = clock.now() - this.#startedAt;
    return nextStep(this.state, { tools, limits, elapsedMs, stopWhen, system, room, counted });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage?.leave();
  }

  interrupts(): InterruptMint {
    return (
      this.options.interrupts ??
      new InterruptFactory(this.state.interruptCount, () => this.options.clock.now())
    );
  }

  /**
   * The consumer has kept events. One that folds them itself hands its state over, so that the two do not part and copy
   * what they have in common.
   */
  adopt(events: readonly SessionEvent[], state: RunState | undefined): void {
    this.state = state ?? fold(events, this.state);
  }

  /** Tells events as one durable batch; the state knows them when they were kept. */
  *tell(events: readonly SessionEvent[]): Generator<EngineEvent, void, RunState | undefined> {
    this.adopt(events, yield { durable: true, events });
  }

  /** The stop came. Whoever decided it ends the run; a suspension leaves it where it is, as a crash does. */
  *halt(shown: { readonly partial?: string } = {}): Ending {
    const reason = { type: 'aborted', ...shown } as const;
    if (isSuspension(this.stop.reason)) return { type: 'ended', reason, state: this.state };
    return yield* this.end(reason);
  }

  /** The run ends with what was told already. */
  // eslint-disable-next-line require-yield -- nothing is left to tell
  *outcome(outcome: Bare<RunOutcome>): Ending {
    return { ...outcome, state: this.state };
  }

  *end(reason: RunEnd, error?: unknown): Ending {
    const stopped = reason.type === 'aborted' ? (this.state.open?.calls ?? []).flatMap(neverStarted) : [];
    yield* this.tell([...stopped, { type: 'run-ended', reason }]);
    return { type: 'ended', reason, state: this.state, ...(error !== undefined && { error }) };
  }

  /** The question whether to go on behind a limit. */
  limit(reached: ReachedLimit): SessionEvent {
    const draft = limitDraft(reached, this.options.runId);
    return { type: 'interrupt-raised', interrupt: this.interrupts().make(draft) };
  }

  /** The questions what became of calls. */
  doubts(calls: readonly Call[]): readonly SessionEvent[] {
    const interrupts = this.interrupts();
    return calls.map((call) => ({
      type: 'interrupt-raised',
      interrupt: interrupts.make(withCallPeople(call, doubtDraft(call, this.state, this.options))),
    }));
  }
}

/** True of what is done about the next request to the model. */
function asksModel(step: Step): boolean {
  if (step.type === 'raise-limit') return step.reached.limit === 'context';
  return step.type === 'call-model' || step.type === 'compact';
}

/** A call that a stop came before gets an answer that says so: nothing starts later that was stopped now (G14, G21). */
function neverStarted(call: Call): readonly SessionEvent[] {
  if (call.state.status !== 'ready') return [];
  return [{ type: 'tool-settled', ref: call.request.ref, outcome: NOT_STARTED }];
}
