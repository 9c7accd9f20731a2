import type {
  Call,
  Interrupt,
  InterruptDraft,
  RunState,
  SessionEvent,
  TransientEvent,
} from '../core/index.js';
import { roundScene } from './call-scene.js';
import type { Arrival, Keeping } from './crew.js';
import { notAsked, Crew } from './crew.js';
import { admit } from './excess-calls.js';
import type { PreparedCall } from './prepare-call.js';
import { Round } from './round.js';
import type { Ending, RunLoop, Stage } from './run-loop.js';
import { errorRecord } from './run-model.js';
import type { EngineEvent } from './run-options.js';
import { toolError } from './tool-failure.js';

// Invariants:
// R1 `tool-started` of a call is told, and so durable, before its body is entered (G9).
// R2 Each call is told of as soon as it settles; a sibling's failure never stops or hides another's result (G15).
// R3 Leaving a round early stops every body and waits for it.
// R4 What a stop comes before is not started (G14).
// R5 Results may share a flush: with each other where they come in one turn of the event loop, and the last one with what
//    depends on it, the next start, the next request or the question.
// R6 At most `MOST_AT_ONCE` calls are prepared or run at a time; a call is prepared when there is room for its body, so
//    that what it was found to do is what it does. At most `MOST_CALLS` of one reply start.
// R7 A question that a body asks while it runs is durable before a person is asked, and the answer before the body has it.

type Ended = Arrival & { readonly type: 'ended' };

/** A round of calls, a few at a time; each is told of as it settles. One that is left early stops the run. */
export class ToolRound implements Stage {
  readonly #loop: RunLoop;
  readonly #round: Round;
  readonly #crew: Crew;
  /** The arrivals that are not told yet, the first of each kind last. */
  readonly #said: TransientEvent[] = [];
  readonly #ended: Ended[] = [];
  readonly #keeping: Keeping[] = [];
  /** The events of bodies that are being kept. */
  #kept: readonly Keeping[] = [];
  readonly #prepared: (readonly PreparedCall[])[] = [];
  /** The calls whose start is being kept. */
  #starting: readonly PreparedCall[] = [];

  constructor(loop: RunLoop, calls: readonly Call[]) {
    const { options, state, stop } = loop;
    this.#loop = loop;
    this.#round = new Round(loop.interrupts(), options);
    const { admitted, excess } = admit(calls, state);
    if (excess.length > 0) this.#prepared.push(excess); // R6
    const make = (draft: InterruptDraft): Interrupt => this.#round.asked(draft);
    this.#crew = new Crew(admitted, { scene: roundScene(state.view, options), make }, options, stop);
  }

  next(): EngineEvent | undefined | Promise<EngineEvent | undefined> {
    const event = this.#news();
    if (event !== undefined) return event;
    this.#crew.fill();
    return this.#crew.isBusy ? this.#crew.take().then(this.#goOn) : undefined;
  }

  readonly #goOn = (arrivals: readonly Arrival[]): ReturnType<Stage['next']> => {
    for (const arrival of arrivals.toReversed()) this.#sort(arrival); // what comes first is last in its list
    return this.next();
  };

  told(event: EngineEvent, state: RunState | undefined): void {
    if (!event.durable) return;
    this.#loop.adopt(event.events, state);
    for (const { kept } of this.#kept) kept();
    this.#kept = [];
    for (const one of this.#starting)
      if (one.type === 'run') this.#crew.enter(one, this.#round.idempotencyKey(one.call));
    this.#starting = [];
  }

  async leave(): Promise<void> {
    if (this.#crew.isBusy) this.#loop.stop.abort(); // R3
    for (const { lost } of [...this.#kept, ...this.#keeping.splice(0)]) lost(notAsked());
    while (this.#crew.isBusy)
      for (const arrival of await this.#crew.take()) if (arrival.type === 'keeping') arrival.lost(notAsked());
  }

  /** A stop ends the run; so does a failure where nobody may be told of it. */
  end(): Ending | undefined {
    const { options, state, stop } = this.#loop;
    if (stop.aborted) return this.#loop.halt();
    const { failures } = this.#round;
    if (failures.length === 0 || options.onToolError !== 'throw') return undefined;
    const error = toolError(failures, state);
    return this.#loop.end({ type: 'failed', error: errorRecord(error) }, error);
  }

  #sort(arrival: Arrival): void {
    switch (arrival.type) {
      case 'progress':
        this.#said.push(arrival.event);
        return;
      case 'keeping':
        this.#keeping.push(arrival);
        return;
      case 'ended':
        this.#ended.push(arrival);
        return;
      case 'prepared':
        this.#prepared.push(arrival.calls);
        return;
      case 'broken':
        throw arrival.thrown;
    }
  }

  /** Tells what bodies said, then what they ask and were told, then how they ended, then what starts. */
  #news(): EngineEvent | undefined {
    const said = this.#said.pop();
    if (said !== undefined) return { durable: false, event: said };
    return this.#asked() ?? this.#results() ?? this.#start();
  }

  #asked(): EngineEvent | undefined {
    if (this.#keeping.length === 0) return undefined;
    this.#kept = this.#keeping.splice(0).reverse();
    return { durable: true, events: this.#kept.map(({ event }) => event) }; // R7
  }

  #results(): EngineEvent | undefined {
    const events: SessionEvent[] = [];
    for (let ended = this.#ended.pop(); ended !== undefined; ended = this.#ended.pop())
      events.push(...this.#round.lastEvents(ended.runnable, ended.run));
    return events.length === 0 ? undefined : { durable: true, events, lazily: true }; // R2, R5
  }

  /** Tells what is durable before any of these bodies is entered. */
  #start(): EngineEvent | undefined {
    const prepared = this.#prepared.pop();
    if (prepared === undefined) return undefined;
    if (this.#loop.stop.aborted) return this.#start(); // R4
    const begun = prepared.map((one) => this.#round.begun(one));
    this.#starting = begun.map((one) => one.prepared); // R1
    return { durable: true, events: begun.map(({ event }) => event) };
  }
}
