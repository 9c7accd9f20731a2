import type {
  Activation,
  AskRecord,
  GateState,
  JsonValue,
  OperationRecord,
  SessionEvent,
  Start,
  TransientEvent,
} from '../../core/index.js';
import {
  gateAt,
  gateState,
  HitlError,
  isDoing,
  isoTime,
  lapsedGate,
  nameOfKey,
  openGates,
  openOperations,
  present,
  ROOT_PATH,
} from '../../core/index.js';
import { Arrivals, Stop } from '../../engine/index.js';
import { operationGateDraft } from '../gates/index.js';
import type { OperationAbout } from '../operations.js';
import type { Arrival, GraphLoop } from '../run/index.js';
import { lapsedLines, never, quiet, told } from '../run/index.js';
import type { Difference } from './difference.js';
import type { KeyScope, Operation } from './journaled.js';
import { Journaled } from './journaled.js';
import { unmetGates } from './unmet-gates.js';

// Invariants:
// O3 An operation that waits never settles, and neither does one that may not begin: nothing of the code runs because it
//    waits, no `catch` and no `finally`.
// O4 An event of an operation is durable before the code goes on, and nothing is told once the run is over.
// O9 A gate that names nothing which is known may mean anything: what has an effect is asked about until the gate has met
//    its operation. Code that declares its operations leaves no such gate.

/** The end of a run of a workflow's code. */
export type CodeEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly thrown: unknown }
  /** All that it waits for is people, or time. */
  | { readonly type: 'rests' }
  | { readonly type: 'differs'; readonly difference: Difference }
  /** Something that it calls has another definition than the run of it, and its code sees nothing of that. */
  | { readonly type: 'refused'; readonly error: HitlError }
  /** A person ended something inside of it. */
  | { readonly type: 'cancelled' };

export type CodeArrival = Arrival | { readonly type: 'left'; readonly end: CodeEnd };

/** One run of a workflow's code from its top: what it does, what it waits for, and when it rests. */
export class CodeRun extends Journaled {
  readonly loop: GraphLoop;
  readonly arrivals = new Arrivals<CodeArrival>();
  readonly stop: Stop;
  readonly #working = new Set<Promise<unknown>>();
  #begun = 0;
  #waits = 0;
  #isWatched = false;
  #isOver = false;

  constructor(loop: GraphLoop, current: Activation, signal: AbortSignal) {
    super(current);
    this.loop = loop;
    this.stop = Stop.following(signal);
    this.stop.onAbort(() => void this.#endRested());
  }

  /** The key of something that was journaled and that the code did not come to. Branches may be left on the way. */
  get missed(): string | undefined {
    return this.left.find((key) => !key.includes('/'));
  }

  /** The keys of what a branch began and waits for: a question, or something inside of it. */
  waitingUnder(prefix: string): readonly string[] {
    const current = this.loop.current();
    const waiting = current.operations
      .entries()
      .flatMap(([key, { status, kind }]) => (status === 'started' && kind !== 'step' ? [key] : []));
    return [...waiting, ...openGates(current)].filter((key) => key.startsWith(prefix));
  }

  /** The code comes to an operation; `undefined` where it is another one than the journal has, which ends the run. */
  enter(scope: KeyScope, about: OperationAbout): Operation | undefined {
    const { operation, difference } = this.comesTo(scope, about);
    this.#begun += 1;
    if (difference === undefined) return operation;
    this.leave({ type: 'differs', difference });
    return undefined;
  }

  /** The state of the gate before an operation. */
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

  /** The gates that name nothing which is known; of code that declares what it does, each is. */
  unmet(name: string): readonly string[] {
    if (this.#declared !== undefined) return [];
    return unmetGates(this.loop.frame(), this.loop.current()).filter((gate) => nameOfKey(gate) !== name);
  }

  get #declared(): readonly string[] | undefined {
    const node = this.loop.node(this.current);
    return node.kind === 'workflow' ? node.operations : undefined;
  }

  /** True where an operation may not begin, as the code does not declare it: nothing goes on then. */
  isUndeclared({ kind, name }: OperationAbout): boolean {
    const declared = this.#declared;
    if (declared === undefined || !isDoing(kind) || declared.includes(name)) return false;
    const message = `\`${name}\` is not among the operations that \`${this.current.node}\` declares: ${declared.join(', ')}`;
    const error = new HitlError('BAD_GRAPH', message, { hint: 'add it to `operations` of the workflow' });
    this.leave({ type: 'refused', error });
    return true;
  }

  /** Why the answer to a question does not count any more; empty where it does, or something has begun with it. */
  lapsed(asked: AskRecord): readonly string[] {
    const { node, operations } = this.current;
    const since = operations.entries().slice(asked.begun);
    const isUsed = asked.begun !== undefined && since.some(([, { kind }]) => isDoing(kind));
    return lapsedLines(asked, this.loop.start, { what: node, isUsed });
  }

  /** The event that asks whether an operation may begin. */
  gateOf({ key, digest }: Operation, about: OperationAbout): SessionEvent {
    const before = gateAt(this.loop.current(), key);
    const { vault, start } = this.loop;
    const lapsed = before === undefined ? [] : lapsedGate(before, start);
    const unmet = this.unmet(about.name);
    const draft = operationGateDraft(this.current, { key, digest, about, lapsed, unmet }, before?.interrupt);
    return this.loop.raised({ ...draft, payload: vault.mask(draft.payload) });
  }

  /** The event that an operation begins. */
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

  /** Shows something that is kept nowhere. */
  async show(event: TransientEvent): Promise<void> {
    if (this.#isOver) return never();
    const fate = await told({ arrivals: this.arrivals, scope: ROOT_PATH }, { durable: false, event });
    return fate === 'give-up' ? never() : undefined;
  }

  /** The operations that have not come to their end. */
  get begun(): readonly string[] {
    return openOperations(this.loop.current());
  }

  /** Makes events durable; never settles where they are not kept any more. */
  async tell(...events: readonly SessionEvent[]): Promise<void> {
    if (this.#isOver) return never();
    const fate = await told({ arrivals: this.arrivals, scope: ROOT_PATH }, { durable: true, events });
    return fate === 'give-up' ? never() : undefined;
  }

  /** Does something: the run is not at rest before it has ended, or waits. */
  async working<T>(work: () => Promise<T | typeof WAITS>): Promise<T> {
    const doing = work();
    this.#working.add(doing);
    let done: T | typeof WAITS;
    try {
      done = await doing;
    } finally {
      this.#working.delete(doing);
    }
    return done === WAITS ? this.waits() : done;
  }

  /** Waits for a person, or for time: it goes on in a later run of the code. */
  waits(): Promise<never> {
    this.#waits += 1;
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

  /** Nothing begins any more, and nothing is told. */
  close(): void {
    this.#isOver = true;
    this.stop.release();
    this.stop.abort();
  }

  /** Resolves when nothing works any more. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
  }

  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  async #endRested(): Promise<void> {
    await quiet(
      () => this.#begun,
      () => this.idle(),
    );
    await this.idle();
    this.leave({ type: 'rests' });
  }
}

/** Stands for a result where something waits. */
export const WAITS = Symbol('waits');
