import type { Call, ErrorRecord, Interrupt, RunEnd, RunState, SessionEvent } from '../core/index.js';
import { evolve, HitlError, isHitlError, messageOf, toolRequestsOf } from '../core/index.js';
import { limitDraft } from './limits.js';
import { nextStep } from './next-step.js';
import type { Step } from './next-step.js';
import { PartialText, replyEvent, runModel } from './run-model.js';
import type { EngineEvent, RunOptions } from './run-options.js';
import type { AbandonedCall, RoundResult } from './run-tools.js';
import { InterruptFactory, runTools } from './run-tools.js';

/** Why a run stopped, with the state it stopped in. */
export type RunOutcome =
  | { readonly type: 'ended'; readonly reason: RunEnd; readonly state: RunState; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly interrupts: readonly Interrupt[]; readonly state: RunState };

/**
 * Runs a session from where its state is to its next stop, as a stream of events. It does no I/O but through
 * the model and tools it is given. Write-ahead: a durable event must be on disk before the generator is advanced.
 * Aborting the signal ends the run with the reason `aborted`; what was complete by then is kept.
 */
export async function* run(
  state: RunState,
  options: RunOptions,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, RunOutcome> {
  const loop = new Loop(state, options);
  for (;;) {
    if (signal.aborted) return yield* loop.end({ type: 'aborted' });
    const step = loop.next();
    switch (step.type) {
      case 'call-model': {
        const outcome = yield* loop.callModel(step.attempt, signal);
        if (outcome !== undefined) return outcome;
        break;
      }
      case 'run-tools': {
        const outcome = yield* loop.runTools(step.calls, signal);
        if (outcome !== undefined) return outcome;
        break;
      }
      case 'raise-in-doubt':
        yield* loop.tell(loop.doubts(step.calls));
        break;
      case 'raise-limit':
        yield* loop.tell([
          { type: 'interrupt-raised', interrupt: loop.interrupts().make(limitDraft(step.reached)) },
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

  interrupts(): InterruptFactory {
    return new InterruptFactory(this.state.interruptCount, () => this.#options.clock.now());
  }

  /** Tells events as one durable batch; the state knows them when the consumer has kept them. */
  *tell(events: readonly SessionEvent[]): Generator<EngineEvent, void> {
    if (events.length === 0) return;
    yield { durable: true, events };
    for (const event of events) this.state = evolve(this.state, event);
  }

  *end(reason: RunEnd, error?: unknown): Generator<EngineEvent, RunOutcome> {
    const stopped = reason.type === 'aborted' ? (this.state.open?.calls ?? []).flatMap(neverStarted) : [];
    yield* this.tell([...stopped, { type: 'run-ended', reason }]);
    return { type: 'ended', reason, state: this.state, ...(error !== undefined && { error }) };
  }

  async *callModel(
    attempt: number,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent, RunOutcome | undefined> {
    yield* this.tell([{ type: 'model-started', attempt }]);
    const partial = new PartialText();
    try {
      const reply = yield* runModel(this.state, this.#options, partial, signal);
      const added = replyEvent(reply, this.state);
      const ends = toolRequestsOf(added.message).length === 0;
      yield* this.tell(ends ? [added, { type: 'run-ended', reason: { type: 'done' } }] : [added]);
      if (ends) return { type: 'ended', reason: { type: 'done' }, state: this.state };
      if (this.#options.returnToolRequests === true)
        return { type: 'interrupted', interrupts: [], state: this.state };
      return undefined;
    } catch (thrown) {
      const shown = partial.text === undefined ? {} : { partial: partial.text };
      if (signal.aborted) return yield* this.end({ type: 'aborted', ...shown });
      if (isHitlError(thrown) && (thrown.code === 'SAVE_FAILED' || thrown.code === 'VERSION_CONFLICT'))
        throw thrown;
      return yield* this.end({ type: 'failed', error: errorRecord(thrown), ...shown }, thrown);
    }
  }

  async *runTools(
    calls: readonly Call[],
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent, RunOutcome | undefined> {
    const round = yield* this.#round(calls, signal);
    if (signal.aborted) return yield* this.end({ type: 'aborted' });
    yield* this.tell(round.abandoned.flatMap(gaveUp));
    if (round.errors.length > 0 && this.#options.onToolError === 'throw') {
      const error = toolFailure(round.errors);
      return yield* this.end({ type: 'failed', error: errorRecord(error) }, error);
    }
    return undefined;
  }

  /** Keeps the state in step with the events of a round, each after it was kept. */
  async *#round(calls: readonly Call[], signal: AbortSignal): AsyncGenerator<EngineEvent, RoundResult> {
    const round = runTools(calls, this.interrupts(), this.#options, signal);
    try {
      for (;;) {
        const step = await round.next();
        if (step.done === true) return step.value;
        if (step.value.durable) yield* this.tell(step.value.events);
        else yield step.value;
      }
    } finally {
      await round.return({ errors: [], abandoned: [] });
    }
  }

  doubts(calls: readonly Call[]): readonly SessionEvent[] {
    const interrupts = this.interrupts();
    return calls.map((call) => ({ type: 'interrupt-raised', interrupt: interrupts.make(this.#doubt(call)) }));
  }

  #doubt(call: Call): Parameters<InterruptFactory['make']>[0] {
    const { ref, name } = call.request;
    const startedAt = call.state.status === 'started' ? call.state.startedAt : null;
    const answerSchema = this.#options.tools.get(name)?.outputSchema;
    return {
      kind: 'in-doubt',
      source: {
        type: 'tool',
        ref,
        name,
        input: call.state.status === 'started' ? call.state.input : call.input,
        raisedBy: 'engine',
      },
      payload: { startedAt, attempt: call.attempts, pid: this.state.writer?.pid ?? null },
      ...(answerSchema !== undefined && { answerSchema }),
    };
  }
}

/** A call that a stop came before gets an answer that says so: nothing starts later that was stopped now (G14, G21). */
function neverStarted(call: Call): readonly SessionEvent[] {
  if (call.state.status !== 'ready') return [];
  const message = 'stopped by the user before it started; it did not run';
  return [
    { type: 'tool-settled', ref: call.request.ref, outcome: { type: 'error', code: 'not-run', message } },
  ];
}

/** A tool that was out of time and did not stop: harmless ones are given up; for the rest the next step asks (G10). */
function gaveUp({ call, tool }: AbandonedCall): readonly SessionEvent[] {
  if (tool.effect === 'once') return [];
  const message = 'out of time, and it did not stop when it was told to';
  return [
    { type: 'tool-settled', ref: call.request.ref, outcome: { type: 'error', code: 'timeout', message } },
  ];
}

function toolFailure(errors: readonly unknown[]): HitlError {
  const cause = errors.length === 1 ? errors[0] : new AggregateError(errors);
  return new HitlError('TOOL_FAILED', errors.map(messageOf).join('; '), { cause });
}

function errorRecord(thrown: unknown): ErrorRecord {
  if (!isHitlError(thrown)) return { code: 'INTERNAL', message: messageOf(thrown) };
  return {
    code: thrown.code,
    message: thrown.message,
    ...(thrown.hint !== undefined && { hint: thrown.hint }),
  };
}
