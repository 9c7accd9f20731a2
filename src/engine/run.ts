import type {
  Call,
  ErrorRecord,
  Interrupt,
  InterruptDraft,
  ModelReply,
  RunEnd,
  RunState,
  SessionEvent,
} from '../core/index.js';
import { fold, isHitlError, messageOf, toolRequestsOf } from '../core/index.js';
import { followSignal } from './follow-signal.js';
import { doubtDraft } from './in-doubt.js';
import { InterruptFactory } from './interrupt-factory.js';
import type { ReachedLimit } from './limits.js';
import { limitDraft } from './limits.js';
import { nextStep } from './next-step.js';
import type { Step } from './next-step.js';
import { PartialText, replyEvent, runModel } from './run-model.js';
import type { EngineEvent, InterruptMint, RunOptions } from './run-options.js';
import { NOT_STARTED } from './run-tool.js';
import { turnEffects } from './steer.js';
import { runTools } from './run-tools.js';
import type { ToolFailure } from './tool-failure.js';
import { toolError } from './tool-failure.js';

/** Why a run stopped, with the state it stopped in. */
export type RunOutcome =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly state: RunState; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly interrupts: readonly Interrupt[]; readonly state: RunState };

/**
 * Runs a session from where its state is to its next stop, as a stream of events. It does no I/O but through
 * the model and tools it is given. Write-ahead: a durable event must be on disk before the generator is advanced,
 * with the state behind it or without one: `next(state)` spares the run a fold of its own.
 * Aborting the signal ends the run with the reason `aborted`; what was complete by then is kept.
 */
export async function* run(
  state: RunState,
  options: RunOptions,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, RunOutcome> {
  const { controller: stop, release } = followSignal(signal);
  try {
    return yield* goOn(new Loop(state, options), stop);
  } finally {
    release();
  }
}

async function* goOn(loop: Loop, stop: AbortController): AsyncGenerator<EngineEvent, RunOutcome> {
  for (;;) {
    const step = loop.next();
    if (stop.signal.aborted && step.type !== 'done') return yield* loop.end({ type: 'aborted' });
    switch (step.type) {
      case 'call-model': {
        const steered = yield* loop.steer(stop.signal);
        if (steered === 'again') break;
        if (steered === 'cancel') return yield* loop.end({ type: 'aborted' });
        const outcome = yield* loop.callModel(step.attempt, stop.signal);
        if (outcome !== undefined) return outcome;
        break;
      }
      case 'run-tools': {
        const outcome = yield* loop.runTools(step.calls, stop);
        if (outcome !== undefined) return outcome;
        break;
      }
      case 'raise-in-doubt':
        yield* loop.tell(loop.doubts(step.calls));
        break;
      case 'raise-limit':
        yield* loop.tell([
          { type: 'interrupt-raised', interrupt: loop.interrupts().make(loop.limit(step.reached)) },
        ]);
        break;
      case 'await-human':
        return { type: 'interrupted', interrupts: step.interrupts, state: loop.state };
      case 'end':
        return yield* loop.end(step.reason);
      case 'done':
        return { type: 'ended', reason: loop.state.ended ?? { type: 'done' }, state: loop.state };
    }
  }
}

/** The state of one run between two events. */
class Loop {
  state: RunState;
  readonly #options: RunOptions;
  readonly #startedAt: number;

  constructor(state: RunState, options: RunOptions) {
    this.state = state;
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  next(): Step {
    const { limits = {}, clock, tools, stopWhen } = this.#options;
    const elapsedMs = clock.now() - this.#startedAt;
    return nextStep(this.state, { tools, limits, elapsedMs, ...(stopWhen !== undefined && { stopWhen }) });
  }

  interrupts(): InterruptMint {
    return (
      this.#options.interrupts ??
      new InterruptFactory(this.state.interruptCount, () => this.#options.clock.now())
    );
  }

  /**
   * Tells events as one durable batch; the state knows them when the consumer has kept them. A consumer that folds
   * them itself hands its state over, so that the two do not part and copy what they have in common.
   */
  *tell(events: readonly SessionEvent[]): Generator<EngineEvent, void, RunState | undefined> {
    const kept = yield { durable: true, events };
    this.state = kept ?? fold(events, this.state);
  }

  *end(reason: RunEnd, error?: unknown): Generator<EngineEvent, RunOutcome> {
    const stopped = reason.type === 'aborted' ? (this.state.open?.calls ?? []).flatMap(neverStarted) : [];
    yield* this.tell([...stopped, { type: 'run-ended', reason }]);
    return { type: 'ended', reason, state: this.state, ...(error !== undefined && { error }) };
  }

  /** A safe point: what was sent takes effect here, or nothing does. */
  async *steer(signal: AbortSignal): AsyncGenerator<EngineEvent, 'go-on' | 'again' | 'cancel'> {
    const { steering } = this.#options;
    if (steering === undefined) return 'go-on';
    const { inbox, path, wants, notice } = steering;
    const options = wants === undefined ? {} : { wants };
    const taken = await inbox.take({ phase: 'turn', path }, signal, options).catch((thrown: unknown) => {
      if (signal.aborted) return undefined;
      throw thrown;
    });
    if (taken === undefined) return 'again'; // the run ends before anything else
    try {
      for (const text of taken.notices) notice?.(text);
      if (taken.events.length === 0) return 'go-on';
      const interrupts = this.interrupts();
      const { events, isCancelled } = turnEffects(taken, (draft) => interrupts.make(draft));
      yield* this.tell([...taken.events, ...events]);
      return isCancelled ? 'cancel' : 'again';
    } finally {
      taken.release();
    }
  }

  async *callModel(
    attempt: number,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent, RunOutcome | undefined> {
    yield* this.tell([{ type: 'model-started', attempt }]);
    const reply = yield* this.#reply(signal);
    if (!('content' in reply)) return reply;
    const added = replyEvent(reply, this.state);
    const ends = toolRequestsOf(added.message).length === 0;
    yield* this.tell(ends ? [added, { type: 'run-ended', reason: { type: 'done' } }] : [added]);
    if (ends) return { type: 'ended', reason: { type: 'done' }, state: this.state };
    if (this.#options.returnToolRequests === true)
      return { type: 'interrupted', interrupts: [], state: this.state };
    return undefined;
  }

  /** A whole reply, or the end of the run that came instead of it. */
  async *#reply(signal: AbortSignal): AsyncGenerator<EngineEvent, ModelReply | RunOutcome> {
    const partial = new PartialText();
    try {
      return yield* runModel(this.state, this.#options, partial, signal);
    } catch (thrown) {
      const shown = partial.text === undefined ? {} : { partial: partial.text };
      if (signal.aborted) return yield* this.end({ type: 'aborted', ...shown });
      return yield* this.end({ type: 'failed', error: errorRecord(thrown), ...shown }, thrown);
    }
  }

  async *runTools(
    calls: readonly Call[],
    stop: AbortController,
  ): AsyncGenerator<EngineEvent, RunOutcome | undefined> {
    const failures = yield* this.#round(calls, stop);
    if (stop.signal.aborted) return yield* this.end({ type: 'aborted' });
    if (failures.length === 0 || this.#options.onToolError !== 'throw') return undefined;
    const error = toolError(failures, this.state);
    return yield* this.end({ type: 'failed', error: errorRecord(error) }, error);
  }

  /** Keeps the state in step with the events of a round, each after it was kept. */
  async *#round(
    calls: readonly Call[],
    stop: AbortController,
  ): AsyncGenerator<EngineEvent, readonly ToolFailure[]> {
    const round = runTools(calls, this.interrupts(), this.#options, stop);
    try {
      for (;;) {
        const step = await round.next();
        if (step.done === true) return step.value;
        if (step.value.durable) yield* this.tell(step.value.events);
        else yield step.value;
      }
    } finally {
      await round.return([]);
    }
  }

  limit(reached: ReachedLimit): InterruptDraft {
    return limitDraft(reached, this.#options.runId);
  }

  doubts(calls: readonly Call[]): readonly SessionEvent[] {
    const interrupts = this.interrupts();
    return calls.map((call) => ({
      type: 'interrupt-raised',
      interrupt: interrupts.make(doubtDraft(call, this.state, this.#options)),
    }));
  }
}

/** A call that a stop came before gets an answer that says so: nothing starts later that was stopped now (G14, G21). */
function neverStarted(call: Call): readonly SessionEvent[] {
  if (call.state.status !== 'ready') return [];
  return [{ type: 'tool-settled', ref: call.request.ref, outcome: NOT_STARTED }];
}

function errorRecord(thrown: unknown): ErrorRecord {
  if (!isHitlError(thrown)) return { code: 'INTERNAL', message: messageOf(thrown) };
  return {
    code: thrown.code,
    message: thrown.message,
    ...(thrown.hint !== undefined && { hint: thrown.hint }),
  };
}
