import type { Activation, Duration, Effect, JsonValue, OperationKind } from '../../core/index.js';

/** Identifies an operation in workflow code. */
export interface OperationAbout {
  readonly kind: OperationKind;
  readonly name: string;
  /** The operation's task. The same key with a different task is a different operation. */
  readonly of?: JsonValue;
  /** The task in one line. */
  readonly title?: string;
}

/** How often to retry a step, and the pauses between attempts. */
export interface RetryPolicy {
  /** Number of attempts, including the first. Default: 1. */
  readonly attempts?: number;
  /** Pause before the second attempt: a duration such as `1s`, or a number of milliseconds. Default: `1s`. */
  readonly delay?: Duration;
  /** Growth factor for each further pause. Default: 2. */
  readonly factor?: number;
  /** Maximum pause: a duration such as `5m`, or a number of milliseconds. Default: `1m`. */
  readonly cap?: Duration;
  /** Random fraction to subtract from a pause, 0 to 1. Default: 0. */
  readonly jitter?: number;
  /**
   * Whether another attempt may help, given the thrown value. If the function throws, there is no retry.
   * Default: always retry.
   */
  readonly when?: (thrown: unknown) => boolean;
}

/** Options for a step. */
export interface StepOptions {
  /** The effect of running the step again. Default: `once`. */
  readonly effect?: Effect;
  /** Default: no retry. */
  readonly retry?: RetryPolicy;
  /** Time limit of each attempt: a duration such as `30s`, or a number of milliseconds. Default: none. */
  readonly timeout?: Duration;
  /**
   * The subject of the step, for example a host. The same key with a different subject is a different step.
   */
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

/** A value that is chosen only once. `known` is the value that is already in the journal, if there is one. */
export interface ChosenOnce {
  readonly key: string;
  readonly known?: JsonValue;
  keep(value: JsonValue): Promise<JsonValue>;
}

/** The part of the journal that workflow code sees. */
export interface OperationJournal {
  readonly current: Pick<Activation, 'guidance' | 'checkpoint'>;
  /** Whether the journal contains operations that the code has not reached yet. */
  readonly isReplaying: boolean;
}

/**
 * The operations available to workflow code. Each operation is journaled under a key, and a replay returns
 * its recorded result.
 */
export interface Operations<Question, Inner> {
  readonly path: string;
  readonly journal: OperationJournal;
  readonly signal: AbortSignal;
  now(): number;
  /**
   * Returns a pseudo-random value as 64 hex digits. The value is always the same for the same operation in
   * the same session.
   */
  draw(key: string): string;
  choose(about: OperationAbout): ChosenOnce;
  /** Reports progress to clients that follow the run; not stored. */
  emit(data: JsonValue): Promise<void>;
  /**
   * Saves a state that the code can continue from when it is resumed. Earlier operations stay in the journal
   * but are no longer replayed.
   */
  checkpoint(about: OperationAbout, state: JsonValue): Promise<void>;
  do(
    about: OperationAbout,
    body: (context: StepContext) => unknown,
    options: StepOptions,
  ): Promise<JsonValue>;
  ask(about: OperationAbout, question: Question): Promise<JsonValue>;
  inside(about: OperationAbout, what: Inner): Promise<JsonValue>;
  /** Returns the operations of a branch, whose keys include the branch name: `zones/a`. */
  branch(name: string, turn: BranchTurn): OperationBranch<Question, Inner>;
}

/** Coordinates a branch with the other parallel branches, which take turns. */
export interface BranchTurn {
  /** Called when the branch is only waiting, so that another branch can take a turn. */
  readonly ends: () => void;
  /** Resolves when the branch may continue. */
  readonly begins: () => Promise<void>;
}

/** The operations of a branch in workflow code. */
export interface OperationBranch<Question, Inner> {
  readonly operations: Operations<Question, Inner>;
  /** Ends a branch that is no longer needed. Nothing more starts in it, and its questions are withdrawn. */
  close(): Promise<void>;
}
