import type { Activation, Duration, Effect, JsonValue, OperationKind } from '../../core/index.js';

/** The facts that make an operation of a workflow's code another one than the next. */
export interface OperationAbout {
  readonly kind: OperationKind;
  readonly name: string;
  /** The thing that it is asked to do: something else under the same key is another operation. */
  readonly of?: JsonValue;
  /** The same in one line. */
  readonly title?: string;
}

/** Number of attempts, and the pauses between them. */
export interface RetryPolicy {
  /** Including the first. Default 1. */
  readonly attempts?: number;
  /** The pause before the second attempt: `1s`, or milliseconds. Default `1s`. */
  readonly delay?: Duration;
  /** Growth of each further pause. Default 2. */
  readonly factor?: number;
  /** The longest pause: `5m`, or milliseconds. Default `1min`. */
  readonly cap?: Duration;
  /** Random part that may be taken off a pause, 0 to 1. Default 0. */
  readonly jitter?: number;
  /** Returns whether another attempt may help, given the thrown value; a throw means no. Default: always. */
  readonly when?: (thrown: unknown) => boolean;
}

/** The options of a step. */
export interface StepOptions {
  /** The effect of a second run. Default `once`. */
  readonly effect?: Effect;
  /** Default: no retry. */
  readonly retry?: RetryPolicy;
  /** Time limit of each attempt: `30s`, or milliseconds. Default: none. */
  readonly timeout?: Duration;
  /** The subject of the step, such as a host: another subject is another step. */
  readonly of?: JsonValue;
}

/** The context of a step's body. */
export interface StepContext {
  readonly key: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

/** A value that is chosen once; `known` where the journal has it. */
export interface ChosenOnce {
  readonly key: string;
  readonly known?: JsonValue;
  keep(value: JsonValue): Promise<JsonValue>;
}

/** The part of the journal that the code of a workflow looks at. */
export interface OperationJournal {
  readonly current: Pick<Activation, 'guidance' | 'checkpoint'>;
  /** True while the journal has operations that the code has not come to. */
  readonly isReplaying: boolean;
}

/** The operations of a workflow's code, as the journal knows them: each is kept under a key, and given again in a replay. */
export interface Operations<Question, Inner> {
  readonly path: string;
  readonly journal: OperationJournal;
  readonly signal: AbortSignal;
  now(): number;
  /** Something like chance: the same for the same operation of the same session. 64 hex digits. */
  draw(key: string): string;
  choose(about: OperationAbout): ChosenOnce;
  /** Shows something to whoever follows the run; it is kept nowhere. */
  emit(data: JsonValue): Promise<void>;
  /** Starts anew from here: what was done before is forgotten by the code, and stays in the journal. */
  checkpoint(about: OperationAbout, state: JsonValue): Promise<void>;
  do(
    about: OperationAbout,
    body: (context: StepContext) => unknown,
    options: StepOptions,
  ): Promise<JsonValue>;
  ask(about: OperationAbout, question: Question): Promise<JsonValue>;
  inside(about: OperationAbout, what: Inner): Promise<JsonValue>;
  /** The operations of a branch, whose keys are its own: `zones/a`. */
  branch(name: string, turn: BranchTurn): OperationBranch<Question, Inner>;
}

/** The turn of a branch among those that may work at once. */
export interface BranchTurn {
  /** The branch waits and does nothing beside that: another may have its turn. */
  readonly ends: () => void;
  /** Resolves when it may work again. */
  readonly begins: () => Promise<void>;
}

/** The operations of a branch of a workflow's code. */
export interface OperationBranch<Question, Inner> {
  readonly operations: Operations<Question, Inner>;
  /** Nobody needs the branch any more: nothing begins there, and what it asks is withdrawn. */
  close(): Promise<void>;
}
