import type { Activation, AskRecord, OperationRecord } from '../../core/index.js';
import {
  HitlError,
  isDoing,
  isOperationGate,
  isOperationName,
  openGates,
  operationOf,
} from '../../core/index.js';
import type { Stop } from '../../engine/index.js';
import type { BranchTurn, OperationAbout } from '../definition/code-operations.js';
import type { Difference } from './difference.js';
import { operationDigest } from './difference.js';

/** An operation reached by the code. */
export interface Operation {
  readonly key: string;
  readonly digest: string;
  readonly known: OperationRecord | undefined;
  /** Start time in milliseconds since 1970, if it is starting now. */
  readonly at?: number;
}

/** A location in the code that has its own keys. Once it is stopped, nothing more starts in it. */
export class KeyScope {
  readonly prefix: string;
  /** Follows the run's stop, and also aborts when the branch is dropped. */
  readonly stop: Stop;
  readonly #counts: Map<string, number>;
  readonly #around: KeyScope | undefined;
  readonly #turn: BranchTurn | undefined;
  #working = 0;
  #held = 0;
  #waits = false;

  private constructor(
    prefix: string,
    stop: Stop,
    {
      counts = {},
      around,
      turn,
    }: {
      readonly counts?: Readonly<Record<string, number>> | undefined;
      readonly around?: KeyScope;
      readonly turn?: BranchTurn | undefined;
    },
  ) {
    this.prefix = prefix;
    this.stop = stop;
    this.#counts = new Map(Object.entries(counts));
    this.#around = around;
    this.#turn = turn;
  }

  /**
   * Creates the scope at the top of the code. @param counts number of operations per name before the
   * checkpoint
   */
  static top(stop: Stop, counts?: Readonly<Record<string, number>>): KeyScope {
    return new KeyScope('', stop, { counts });
  }

  branch(prefix: string, turn?: BranchTurn): KeyScope {
    return new KeyScope(prefix, this.stop.child(), { around: this, turn });
  }

  /** Whether work that may still start something new is running in this scope. */
  get isWorking(): boolean {
    return this.#working > 0;
  }

  get isClosed(): boolean {
    return this.stop.aborted;
  }

  /** Records that part of the scope is waiting for a person or for time. */
  waits(): void {
    this.#waits = true;
    this.#look();
  }

  /** Counts work that has started (1) or ended (-1). */
  works(change: 1 | -1): void {
    this.#working += change;
    this.#around?.works(change);
    this.#look();
  }

  /** Puts work on hold until `until` resolves and the work gets its turn. */
  async holds(until: Promise<unknown>): Promise<void> {
    this.#holds(1);
    await until;
    this.#holds(-1);
    await this.#begins();
  }

  #holds(change: 1 | -1): void {
    this.#held += change;
    if (this.#around !== undefined) this.#around.#holds(change);
    this.#look();
  }

  async #begins(): Promise<void> {
    if (this.#around !== undefined) await this.#around.#begins();
    await this.#turn?.begins();
  }

  #look(): void {
    if ((!this.#waits && this.#held === 0) || this.#working > 0) return;
    this.#turn?.ends();
    if (this.#around === undefined) return;
    if (this.#waits) this.#around.waits();
    else this.#around.#look();
  }

  /** Returns the next key for a name. @throws HitlError NODE_FAILED if the name cannot be used in a path. */
  keyOf(name: string): string {
    if (!isOperationName(name))
      throw new HitlError(
        'NODE_FAILED',
        `\`${name}\` is not a valid operation name: use up to 64 letters, digits, spaces, \`.\`, \`-\` and \`_\``,
      );
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${this.prefix}${name}#${count}`;
  }
}

/** Tracks the journaled operations of an activation, including which of them the code has reached. */
export class Journaled {
  readonly current: Activation;
  readonly #records: ReadonlyMap<string, OperationRecord>;
  readonly #asks: ReadonlyMap<string, AskRecord>;
  /** Keys that the code has not reached yet, except those that it may leave out. */
  readonly #left: Set<string>;
  /** Prefixes of dropped branches, whose journaled operations the code may leave out. */
  readonly #closed: string[] = [];
  #places: ReadonlySet<string> | undefined;
  #doneUntil: number | undefined;

  constructor(current: Activation) {
    this.current = current;
    this.#records = new Map(current.operations.entries());
    const passed = new Set(current.passedOver);
    this.#left = new Set([...this.#records.keys(), ...openGates(current)].filter((key) => !passed.has(key)));
    this.#asks = new Map(
      current.asks.flatMap((ask) => {
        const key = isOperationGate(ask.interrupt) ? undefined : operationOf(ask.interrupt);
        return key === undefined ? [] : [[key, ask]];
      }),
    );
  }

  /** Keys of journaled operations that the code has not reached, except those in dropped branches. */
  get missed(): readonly string[] {
    return [...this.#left].filter((key) => !this.#closed.some((prefix) => key.startsWith(prefix)));
  }

  /** Marks a branch as dropped, so that the code may leave out its journaled operations. */
  closes({ prefix }: KeyScope): void {
    this.#closed.push(prefix);
  }

  /** Whether the journal contains operations that the code has not reached yet. */
  get isReplaying(): boolean {
    return this.#left.size > 0;
  }

  /**
   * Returns the key prefix of a branch at a location in the code: `out/k0/zones/a/` for the branch `zones/a`.
   * Version 0.2.0 wrote the location twice, as in `out/k0/out/k0/zones/a/`, and its journals keep that form.
   */
  prefixOf({ prefix }: KeyScope, branch: string): string {
    const twice = `${prefix}${prefix}${branch}/`;
    return prefix !== '' && this.#recordedPlaces().has(twice) ? twice : `${prefix}${branch}/`;
  }

  /** Returns all prefixes of the journaled keys: `out/` and `out/k0/` for `out/k0/q#1`. */
  #recordedPlaces(): ReadonlySet<string> {
    this.#places ??= new Set(
      [...this.#records.keys()].flatMap((key) =>
        [...key.matchAll(/\//gu)].map(({ index }) => key.slice(0, index + 1)),
      ),
    );
    return this.#places;
  }

  /** The number of operations up to the last journaled one that may have had an effect. */
  get doneUntil(): number {
    this.#doneUntil ??= 1 + [...this.#records.values()].findLastIndex(({ kind }) => isDoing(kind));
    return this.#doneUntil;
  }

  asked(key: string): AskRecord | undefined {
    return this.#asks.get(key);
  }

  record(key: string): OperationRecord | undefined {
    return this.#records.get(key);
  }

  /**
   * Registers an operation reached by the code. Also returns the difference if the journaled operation is not
   * the same.
   */
  protected comesTo(
    scope: KeyScope,
    about: OperationAbout,
  ): { readonly operation: Operation; readonly difference: Difference | undefined } {
    const key = scope.keyOf(about.name);
    const digest = operationDigest(about);
    this.#left.delete(key);
    const known = this.#records.get(key);
    const operation = { key, digest, known };
    const { kind, title } = about;
    if (known === undefined || (known.kind === kind && known.digest === digest))
      return { operation, difference: undefined };
    const now = { kind, digest, ...(title !== undefined && { title }) };
    return { operation, difference: { key, recorded: known, now } };
  }
}
