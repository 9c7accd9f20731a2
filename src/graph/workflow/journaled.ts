import type { Activation, AskRecord, OperationRecord } from '../../core/index.js';
import { HitlError, isOperationGate, isOperationName, operationOf } from '../../core/index.js';
import type { OperationAbout } from '../operations.js';
import type { Difference } from './difference.js';
import { operationDigest } from './difference.js';

/** An operation as the code comes to it. */
export interface Operation {
  readonly key: string;
  readonly digest: string;
  readonly known: OperationRecord | undefined;
  /** Milliseconds since 1970: when it begins, where that is now. */
  readonly at?: number;
}

/** A place in the code with keys of its own; once it is closed, nothing begins there. */
export class KeyScope {
  readonly prefix: string;
  readonly #around: KeyScope | undefined;
  readonly #counts: Map<string, number>;
  #isClosed = false;

  /** @param counts the operations of each name that a checkpoint left behind */
  constructor(prefix: string, around?: KeyScope, counts: Readonly<Record<string, number>> = {}) {
    this.prefix = prefix;
    this.#around = around;
    this.#counts = new Map(Object.entries(counts));
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#around?.isClosed === true;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The next key of a name. @throws HitlError NODE_FAILED for a name that a path could not hold. */
  keyOf(name: string): string {
    if (!isOperationName(name))
      throw new HitlError(
        'NODE_FAILED',
        `\`${name}\` cannot name an operation: take letters, digits, spaces, \`.\`, \`-\` and \`_\`, up to 64 of them`,
      );
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${this.prefix}${name}#${count}`;
  }
}

/** The operations that the journal has of an activation, and those of them that the code has come to. */
export class Journaled {
  readonly current: Activation;
  readonly #records: ReadonlyMap<string, OperationRecord>;
  readonly #asks: ReadonlyMap<string, AskRecord>;
  readonly #left: Set<string>;

  constructor(current: Activation) {
    this.current = current;
    this.#records = new Map(current.operations.entries());
    this.#left = new Set(this.#records.keys());
    this.#asks = new Map(
      current.asks.flatMap((ask) => {
        const key = isOperationGate(ask.interrupt) ? undefined : operationOf(ask.interrupt);
        return key === undefined ? [] : [[key, ask]];
      }),
    );
  }

  /** The keys of what the code has not come to. */
  get left(): readonly string[] {
    return [...this.#left];
  }

  /** True while the journal has operations that the code has not come to. */
  get isReplaying(): boolean {
    return this.#left.size > 0;
  }

  asked(key: string): AskRecord | undefined {
    return this.#asks.get(key);
  }

  record(key: string): OperationRecord | undefined {
    return this.#records.get(key);
  }

  /** The code comes to an operation; with a difference where it is another one than the journal has. */
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
