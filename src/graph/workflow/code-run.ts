import { AsyncLocalStorage } from 'node:async_hooks';

import type {
  Activation,
  AskRecord,
  GateState,
  JsonValue,
  OperationRecord,
  SessionEvent,
  Start,
  TransientEvent,
  GraphFrame,
} from '../../core/index.js';
import {
  gateAt,
  HitlError,
  gateState,
  isInDoubt,
  isOver,
  isDoing,
  isoTime,
  lapsedGate,
  nameOfKey,
  openGates,
  openInterrupts,
  openOperations,
  present,
  ROOT_PATH,
  operationOf,
} from '../../core/index.js';
import { Arrivals, Stop } from '../../engine/index.js';
import { operationGateDraft } from '../run/questions.js';
import type { OperationAbout } from '../definition/code-operations.js';
import type { Arrival } from '../run/inner-chats.js';
import { told } from '../run/inner-chats.js';
import type { GraphLoop } from '../run/graph-loop.js';
import { lapsedLines } from '../run/known-answer.js';
import { never, quiet } from '../run/quiet.js';
import type { Difference } from './difference.js';
import type { KeyScope, Operation } from './journaled.js';
import { Journaled } from './journaled.js';

// Invariants:
// O3 An operation that waits never settles, and neither does one that may not begin: nothing of the code runs because it
//    waits, no `catch` and no `finally`.
// O4 An event of an operation is durable before the code goes on, and nothing is told once the run is over.
// O5 What was started and may have had an effect does not begin again: a person is asked about it first (`checkBegin`).
// O6 A run rests only while something is open: what a branch that lost waits for is withdrawn with the batch of events
//    that it came with (`withdrawn`), so that nobody is ever asked by it.
// O7 The body of a step begins no operation: it would wait for what cannot come while the step runs (`enter`).
// O8 The journal is followed to the letter: what it does not know begins when the code has come to all that it has, and
//    where the code comes to rest before, a person is told before anything new begins (`isBarred`).
// O9 A gate that names nothing which is known may mean anything: what has an effect is asked about until the gate has met
//    its operation. Code that declares its operations leaves no such gate.

/** How a run of a workflow's code ended. */
export type CodeEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly thrown: unknown }
  /** The code is only waiting for people, time or events. */
  | { readonly type: 'rests' }
  | { readonly type: 'differs'; readonly difference: Difference }
  /** A graph that the code calls no longer matches the definition of its run. The code cannot catch this. */
  | { readonly type: 'refused'; readonly error: HitlError }
  /** A person cancelled something inside an operation. */
  | { readonly type: 'cancelled' };

export type CodeArrival = Arrival | { readonly type: 'left'; readonly end: CodeEnd };

/** One run of workflow code from the top. Tracks running work and waits, and decides when the run stops. */
export class CodeRun extends Journaled {
  readonly loop: GraphLoop;
  readonly arrivals = new Arrivals<CodeArrival>();
  readonly stop: Stop;
  readonly #working = new Set<Promise<unknown>>();
  /** Operations that have something running inside them. */
  readonly #active = new Set<string>();
  /** Branches that were dropped but may still have questions to withdraw. */
  #lost: readonly KeyScope[] = [];
  /** Operations that are on hold, and operations that have been released but are waiting for their turn. */
  readonly #held = new Map<string, Held>();
  /** Operations that are on hold, or have been released and are waiting for their turn. */
  readonly #resuming = new Set<Promise<void>>();
  #begun = 0;
  #isWatched = false;
  #isOver = false;

  constructor(loop: GraphLoop, current: Activation, signal: AbortSignal) {
    super(current);
    this.loop = loop;
    this.stop = Stop.following(signal);
    this.stop.onAbort(() => void this.#endRested());
  }

  /**
   * Drops a branch. Nothing more starts in it, its running work is stopped, and its questions are withdrawn.
   */
  async lose(scope: KeyScope): Promise<void> {
    scope.stop.abort(new HitlError('ABORTED', LOST));
    this.closes(scope);
    this.#lost = [...this.#lost, scope];
    await this.#busy(this.tell());
  }

  /**
   * Returns the events that withdraw what dropped branches are waiting for, except operations with running
   * work.
   */
  withdrawn(): readonly SessionEvent[] {
    const lost = this.#lost;
    if (lost.length === 0) return [];
    this.#lost = lost.filter(({ isWorking }) => isWorking); // nothing more comes of the others
    const current = this.loop.current();
    const { node, visit } = current;
    const started = current.operations
      .entries()
      .flatMap(([key, record]) => (isOver(record) || isInDoubt(record) ? [] : [key]));
    const error = { code: 'ABORTED', message: LOST };
    return [...started, ...openGates(current)]
      .filter((key) => !this.#active.has(key) && lost.some(({ prefix }) => key.startsWith(prefix)))
      .map((key) => ({ type: 'op-failed', node, visit, key, error }));
  }

  /**
   * Handles an operation of the code. If the operation differs from the journaled one, returns `undefined`,
   * and the run ends.
   * @throws HitlError NODE_FAILED inside a step's body (O7)
   */
  enter(scope: KeyScope, about: OperationAbout): Operation | undefined {
    const step = stepAround.getStore();
    if (step?.run === this)
      throw new HitlError(
        'NODE_FAILED',
        `\`${about.name}\` (${about.kind}) was started inside the step \`${step.key}\`, which cannot start operations`,
        {
          hint: 'start it before or after the step; for a step with inner operations, use a branch (`all`) or a `call`',
        },
      );
    const { operation, difference } = this.comesTo(scope, about);
    this.#begun += 1;
    if (difference === undefined) return operation;
    this.leave({ type: 'differs', difference });
    return undefined;
  }

  /**
   * Whether an operation must not start: its branch was dropped, the run was stopped, or it is new and the
   * code has not reached all journaled operations (O8).
   */
  isBarred(scope: KeyScope, operation: Operation, about: OperationAbout): boolean | Promise<boolean> {
    if (this.isClosed(scope)) return true;
    return this.#isNews(operation) && this.missed.length > 0 ? this.#hold(scope, operation, about) : false;
  }

  /** Whether the branch was dropped or the run was stopped. */
  isClosed(scope: KeyScope): boolean {
    return scope.isClosed || this.stop.aborted;
  }

  #isNews({ key, known }: Operation): boolean {
    const isAsked = this.asked(key) !== undefined || gateAt(this.current, key) !== undefined;
    return known === undefined && !isAsked;
  }

  async #hold(scope: KeyScope, { key }: Operation, about: OperationAbout): Promise<boolean> {
    const turn = new Promise<void>((go) => {
      this.#held.set(key, { scope, about, go });
    });
    const until = scope.holds(turn);
    this.#resuming.add(until);
    if (this.#held.size === 1) void this.#lookAtHeld();
    await until;
    this.#resuming.delete(until);
    this.#begun += 1;
    return this.isClosed(scope);
  }

  /**
   * Releases held operations once the code has reached all journaled ones. Ends the run if the code does not
   * reach all of them.
   */
  async #lookAtHeld(): Promise<void> {
    for (let seen = -1; seen !== this.#begun;) {
      await quiet(() => this.#begun);
      if (this.missed.length === 0) break;
      seen = this.#begun;
      // What works may have the turn that others wait for.
      await quiet(
        () => this.#begun,
        () => this.#idle(),
      );
    }
    if (this.stop.aborted || this.#isOver) return;
    const { missed } = this;
    const held = [...this.#held];
    const first = held.find(([, { scope }]) => !scope.isClosed);
    if (missed.length > 0 && first !== undefined) {
      this.leave({ type: 'differs', difference: this.#missing(missed, first) });
      return;
    }
    this.#held.clear();
    for (const [, { go }] of held) go();
  }

  /** Describes journaled operations that the code does not reach, as a difference. */
  #missing(left: readonly string[], held?: readonly [string, Held]): Difference {
    const scope = held?.[1].scope.prefix ?? '';
    const [first = ''] = left;
    const key = left.find((one) => one.startsWith(scope)) ?? first;
    const instead = held && { key: held[0], about: held[1].about };
    return { key, recorded: this.record(key) ?? {}, left, ...present({ instead }) };
  }

  /**
   * The journaled operations that the code had not reached when it ended, as a difference; `undefined` if it
   * reached all of them.
   */
  get leftOut(): Difference | undefined {
    const { missed } = this;
    return missed.length === 0 ? undefined : this.#missing(missed);
  }

  /** Returns the state of the gate before an operation. */
  gate(
    { key, digest }: Operation,
    { name, kind }: OperationAbout,
    start: Start,
    isHarmless: boolean,
  ): GateState {
    const { gates } = this.loop.frame();
    const current = this.loop.current();
    const isMeant = !isHarmless && this.unmet(name).length > 0; // O9
    const isAsked = isMeant || (gates !== undefined && gateAt(current, key) !== undefined);
    return gateState(isAsked ? '*' : gates, current, { key, kind, digest }, start);
  }

  /** Returns the gates that have not matched an operation; empty if the code declares its operations. */
  unmet(name: string): readonly string[] {
    if (this.#declared !== undefined) return [];
    return unmetGates(this.loop.frame(), this.loop.current()).filter((gate) => nameOfKey(gate) !== name);
  }

  get #declared(): readonly string[] | undefined {
    const node = this.loop.node(this.current);
    return node.kind === 'workflow' ? node.operations : undefined;
  }

  /**
   * Whether an operation must not start because the code does not declare it. If so, this run of the code
   * ends.
   */
  isUndeclared({ kind, name }: OperationAbout): boolean {
    const declared = this.#declared;
    if (declared === undefined || !isDoing(kind) || declared.includes(name)) return false;
    const message = `\`${name}\` is not among the operations that \`${this.current.node}\` declares: ${declared.join(', ')}`;
    const error = new HitlError('BAD_GRAPH', message, { hint: "add it to the workflow's `operations`" });
    this.leave({ type: 'refused', error });
    return true;
  }

  /**
   * Returns the reasons that the answer to a question has expired or is void; empty if it is valid or already
   * used.
   */
  lapsed(asked: AskRecord): readonly string[] {
    const isUsed = asked.begun !== undefined && asked.begun < this.doneUntil;
    return lapsedLines(asked, this.loop.start, { what: this.current.node, isUsed });
  }

  /** Returns the event that asks whether an operation may start. */
  gateOf({ key, digest }: Operation, about: OperationAbout): SessionEvent {
    const before = gateAt(this.loop.current(), key);
    const { vault, start } = this.loop;
    const lapsed = before === undefined ? [] : lapsedGate(before, start);
    const unmet = this.unmet(about.name);
    const draft = operationGateDraft(this.current, { key, digest, about, lapsed, unmet }, before?.interrupt);
    return this.loop.raised({ ...draft, payload: vault.mask(draft.payload) });
  }

  /** Returns an operation's start event. */
  startOf(
    { key, digest, at = this.loop.start.at }: Operation,
    { kind, title }: OperationAbout,
    effect: OperationRecord['effect'] = 'none',
  ): SessionEvent {
    const { node, visit } = this.current;
    const shown = title === undefined ? undefined : this.loop.vault.maskText(title);
    return {
      type: 'op-started',
      node,
      visit,
      key,
      kind,
      digest,
      effect,
      ...(shown !== undefined && { title: shown }),
      startedAt: isoTime(at),
      ...present({ code: this.loop.options.code }),
    };
  }

  settledOf({ key }: Operation, output: JsonValue): SessionEvent {
    const { node, visit } = this.current;
    return { type: 'op-settled', node, visit, key, output };
  }

  /** Emits a transient event. */
  async show(event: TransientEvent): Promise<void> {
    if (this.#isOver) return never();
    const fate = await told({ arrivals: this.arrivals, scope: ROOT_PATH }, { durable: false, event });
    return fate === 'give-up' ? never() : undefined;
  }

  /** The operations that have started but not ended. */
  get begun(): readonly string[] {
    return openOperations(this.loop.current());
  }

  /** Runs a step's body, in which operations must not start (O7). */
  inStep<T>(key: string, body: () => T): T {
    return stepAround.run({ run: this, key }, body);
  }

  /** Makes events durable. Never settles if events can no longer be stored. */
  async tell(...events: readonly SessionEvent[]): Promise<void> {
    if (this.#isOver) return never();
    const fate = await told({ arrivals: this.arrivals, scope: ROOT_PATH }, { durable: true, events });
    return fate === 'give-up' ? never() : undefined;
  }

  /** Performs work. The run does not stop until the work has ended or is waiting. */
  async working<T>(
    { scope, key }: { readonly scope: KeyScope; readonly key?: string },
    work: () => Promise<T | typeof WAITS>,
  ): Promise<T> {
    const doing = async (): Promise<T | typeof WAITS> => {
      scope.works(1);
      if (key !== undefined) this.#active.add(key);
      try {
        return await work();
      } finally {
        if (key !== undefined) this.#active.delete(key);
        if (scope.isClosed && !this.#isOver) await this.tell(); // what it came to may be a question
        scope.works(-1);
      }
    };
    const done = await this.#busy(doing());
    return done === WAITS ? this.waits(scope) : done;
  }

  /** Keeps the run active until work has ended and the code has handled its result. */
  async #busy<T>(doing: Promise<T>): Promise<T> {
    this.#begun += 1;
    this.#working.add(doing);
    try {
      return await doing;
    } finally {
      this.#working.delete(doing);
    }
  }

  /**
   * Registers that the code is waiting for a person or for time. The promise never settles; a later run of
   * the code continues.
   */
  waits(scope: KeyScope): Promise<never> {
    scope.waits();
    if (!this.#isWatched) {
      this.#isWatched = true;
      void this.#endRested();
    }
    return never();
  }

  /** Ends this run of the code where it is. */
  leave(end: CodeEnd): void {
    this.arrivals.put({ type: 'left', end });
  }

  /** Prevents new operations and events. */
  close(): void {
    this.#isOver = true;
    this.stop.release();
    this.stop.abort();
  }

  /** Resolves when no work is running and nothing is on hold. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#idle();
      if (this.#resuming.size === 0) return;
      await Promise.allSettled(this.#resuming);
    }
  }

  async #idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
  }

  /** Whether the run is waiting for a person, time or an event (O6). */
  get isWaiting(): boolean {
    return openInterrupts(this.loop.state).length > 0;
  }

  async #endRested(): Promise<void> {
    await quiet(
      () => this.#begun,
      () => this.idle(),
    );
    this.#isWatched = false;
    // All that waited was withdrawn: the code goes on by itself.
    if (this.stop.aborted || this.isWaiting) this.leave({ type: 'rests' });
  }
}

/**
 * Checks that an operation may start.
 * @throws HitlError INTERNAL if the operation has already started and may have had an effect, but no person
 * has been asked about it (O5)
 */
export function checkBegin({ key, known }: Operation): void {
  if (known !== undefined && isInDoubt(known))
    throw new HitlError('INTERNAL', `\`${key}\` may have run, and cannot run again without an answer`);
}

/** A new operation that is held until the code has reached all journaled ones. */
interface Held {
  readonly scope: KeyScope;
  readonly about: OperationAbout;
  readonly go: () => void;
}

const LOST = 'its branch is no longer needed';

/** Identifies the step whose body is running. */
const stepAround = new AsyncLocalStorage<{ readonly run: CodeRun; readonly key: string }>();

/** Returned by work that is waiting, instead of a result. */
export const WAITS = Symbol('waits');

/** Returns a run's gates that do not match any operation reached by an activation's code. */
export function unmetGates(
  { gates = [], nodes }: Pick<GraphFrame, 'gates' | 'nodes'>,
  { operations, checkpoint, asks }: Pick<Activation, 'operations' | 'checkpoint' | 'asks'>,
): readonly string[] {
  if (gates === '*') return [];
  const keys = [
    ...operations.entries().map(([key]) => key),
    ...asks.flatMap(({ interrupt }) => operationOf(interrupt) ?? []),
  ];
  const had = new Set([...keys.map(nameOfKey), ...Object.keys(checkpoint?.counts ?? {})]);
  return gates.filter((gate) => !had.has(nameOfKey(gate)) && nodes?.includes(gate) !== true);
}
