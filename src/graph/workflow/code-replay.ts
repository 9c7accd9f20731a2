import type { Activation } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { OperationAbout } from '../definition/code-operations.js';
import { never, quiet } from '../run/quiet.js';
import type { Sides } from './difference.js';
import { operationWords, sidesOf } from './difference.js';
import type { KeyScope, Operation } from './journaled.js';
import { Journaled } from './journaled.js';

/** The operation at which a replay differs from the journal. */
export interface DifferenceAt extends Sides {
  readonly operation: string;
}

/** An operation that is not in the journal yet. */
interface Fresh {
  readonly scope: KeyScope;
  readonly words: string;
}

/**
 * A replay of workflow code that does not start anything. The promise of an operation without a journaled end
 * never settles.
 */
export class CodeReplay extends Journaled {
  /** The operations that the code reached, by key, each with its fingerprint and description. */
  readonly met = new Map<string, { readonly digest: string; readonly words: string }>();
  readonly #stop = new AbortController();
  readonly #fresh: Fresh[] = [];
  readonly #rested: Promise<undefined>;
  #rest: () => void = () => undefined;
  #first: DifferenceAt | undefined;
  #end = 'the code is waiting for something else';
  #isWatched = false;
  #isBlind = false;

  constructor(current: Activation) {
    super(current);
    this.#rested = new Promise((resolve) => {
      this.#rest = () => {
        resolve(undefined);
      };
    });
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Handles an operation of the code; returns `undefined` if the code must not continue past it. */
  enter(scope: KeyScope, about: OperationAbout): Operation | undefined {
    const { operation, difference } = this.comesTo(scope, about);
    const { key, digest } = operation;
    this.met.set(key, { digest, words: operationWords(about) });
    if (difference === undefined) return operation;
    this.#first ??= { operation: key, ...sidesOf(difference) };
    return undefined;
  }

  /** Handles an operation that is not in the journal. */
  begins(scope: KeyScope, key: string): Promise<never> {
    const words = this.met.get(key)?.words ?? key;
    this.#fresh.push({ scope, words: `${words}, as \`${key}\`` });
    return this.waits();
  }

  /** Handles a value that is not in the journal because the answer was secret. */
  lacks(): Promise<never> {
    this.#isBlind = true;
    return this.waits();
  }

  waits(): Promise<never> {
    if (!this.#isWatched) {
      this.#isWatched = true;
      void quiet(() => this.met.size).then(this.#rest);
    }
    return never();
  }

  /** Runs the code until it ends or waits, and returns the first difference from the journal. */
  async run(code: () => Promise<unknown>): Promise<DifferenceAt | undefined> {
    const ended = code().then(
      () => {
        this.#end = 'the code ends without reaching it';
      },
      (thrown: unknown) => {
        this.#end = `the code throws \`${messageOf(thrown)}\` before reaching it`;
      },
    );
    await Promise.race([ended, this.#rested]);
    const found = this.#first ?? this.#firstMissed();
    this.#stop.abort();
    return found;
  }

  /**
   * The keys of journaled operations that the code does not reach; empty if an earlier difference was found.
   */
  get notMet(): readonly string[] {
    return this.#first === undefined && this.#firstMissed() !== undefined ? this.missed : [];
  }

  /** Finds a journaled operation that the code did not reach. */
  #firstMissed(): DifferenceAt | undefined {
    if (this.#isBlind) return undefined;
    const left = this.missed;
    for (const { scope, words } of this.#fresh) {
      const key = scope.isClosed ? undefined : left.find((one) => one.startsWith(scope.prefix));
      if (key !== undefined) return { operation: key, recorded: this.#recorded(key), now: words };
    }
    const key = left.find((one) => !one.includes('/'));
    if (key === undefined) return undefined;
    return { operation: key, recorded: this.#recorded(key), now: `nothing: ${this.#end}` };
  }

  #recorded(key: string): string {
    return operationWords(this.record(key) ?? {});
  }
}
