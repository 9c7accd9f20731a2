import type { Activation, Duration, Effect, JsonValue, OperationKind } from '../../core/index.js';

/** Identifies an operation of workflow code. */
export interface OperationAbout {
  readonly kind: OperationKind;
  readonly name: string;
  /** Its task: the same key with another task is another operation. */
  readonly of?: JsonValue;
  /** The task in one line. */
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
  /** The longest pause: `5m`, or milliseconds. Default `1m`. */
  readonly cap?: Duration;
  /** Random share removed from a pause, 0 to 1. Default: 0. */
  readonly jitter?: number;
  /** Returns whether another attempt may help, given the thrown value; a throw means no. Default: always. */
  readonly when?: (thrown: unknown) => boolean;
}

/** The options of a step. */
export interface StepOptions {
  /** Effect of a second run. Default: `once`. */
  readonly effect?: Effect;
  /** Default: no retry. */
  readonly retry?: RetryPolicy;
  /** Time limit of each attempt: `30s`, or milliseconds. Default: none. */
  readonly timeout?: Duration;
  /** Subject of the step, for example a host: another subject is another step. */
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

/** A value chosen once; `known` if journaled. */
export interface ChosenOnce {
  readonly key: string;
  readonly known?: JsonValue;
  keep(value: JsonValue): Promise<JsonValue>;
}

/** The part of the journal that workflow code sees. */
export interface OperationJournal {
  readonly current: Pick<Activation, 'guidance' | 'checkpoint'>;
  /** Whether the journal has operations that the code has not reached. */
  readonly isReplaying: boolean;
}

/** The operations of workflow code: each is journaled under a key, and a replay returns its recorded result. */
export interface Operations<Question, Inner> {
  readonly path: string;
  readonly journal: OperationJournal;
  readonly signal: AbortSignal;
  now(): number;
  /** A pseudo-random value: the same for the same operation of the same session. 64 hex digits. */
  draw(key: string): string;
  choose(about: OperationAbout): ChosenOnce;
  /** Shows progress to followers of the run; not stored. */
  emit(data: JsonValue): Promise<void>;
  /** Restarts the code from here: earlier operations stay in the journal but are no longer replayed. */
  checkpoint(about: OperationAbout, state: JsonValue): Promise<void>;
  do(
    about: OperationAbout,
    body: (context: StepContext) => unknown,
    options: StepOptions,
  ): Promise<JsonValue>;
  ask(about: OperationAbout, question: Question): Promise<JsonValue>;
  inside(about: OperationAbout, what: Inner): Promise<JsonValue>;
  /** Returns the operations of a branch, with their own keys: `zones/a`. */
  branch(name: string, turn: BranchTurn): OperationBranch<Question, Inner>;
}

/** A branch's turn among parallel ones. */
export interface BranchTurn {
  /** Call it when the branch only waits, so that another may take its turn. */
  readonly ends: () => void;
  /** Resolves when it may work again. */
  readonly begins: () => Promise<void>;
}

/** The operations of a branch of a workflow's code. */
export interface OperationBranch<Question, Inner> {
  readonly operations: Operations<Question, Inner>;
  /** Ends a branch that is no longer needed: nothing starts in it, and its questions are withdrawn. */
  close(): Promise<void>;
}
