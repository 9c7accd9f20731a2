import type { Activation, AskRecord, OperationRecord } from '../../core/index.js';
import { isOperationGate, messageOf } from '../../core/index.js';
import type { OperationAbout } from '../operations.js';
import type { KeyScope } from './code-run.js';
import { never, TURNS } from './code-run.js';
import type { Sides } from './difference.js';
import { operationDigest, operationWords, sidesOf } from './difference.js';

/** The operation at which a replay and the journal are not the same. */
export interface DifferenceAt extends Sides {
  readonly operation: string;
}

/** An operation that the journal does not have. */
interface Fresh {
  readonly scope: KeyScope;
  readonly words: string;
}

/** One replay of a workflow's code, which begins nothing: what the journal does not have the end of never settles. */
export class CodeReplay {
  /** The operations that the code came to, as a fingerprint and in words, by key. */
  readonly met = new Map<string, { readonly digest: string; readonly words: string }>();
  readonly current: Activation;
  readonly #stop = new AbortController();
  readonly #left: Set<string>;
  readonly #asks: ReadonlyMap<string, AskRecord>;
  readonly #fresh: Fresh[] = [];
  readonly #closed: string[] = [];
  readonly #rested: Promise<undefined>;
  #rest: () => void = () => undefined;
  #first: DifferenceAt | undefined;
  #end = 'the code waits for something else';
  #isWatched = false;
  #isBlind = false;

  constructor(current: Activation) {
    this.current = current;
    this.#left = new Set(current.operations.entries().map(([key]) => key));
    this.#rested = new Promise((resolve) => {
      this.#rest = () => {
        resolve(undefined);
      };
    });
    this.#asks = new Map(
      current.asks.flatMap((ask) => {
        const { source } = ask.interrupt;
        if (isOperationGate(ask.interrupt)) return [];
        return source.type === 'node' && source.operation !== undefined ? [[source.operation, ask]] : [];
      }),
    );
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isReplaying(): boolean {
    return this.#left.size > 0;
  }

  asked(key: string): AskRecord | undefined {
    return this.#asks.get(key);
  }

  /** The code comes to an operation; `undefined` where it never goes on from there. */
  enter(
    scope: KeyScope,
    about: OperationAbout,
  ): { readonly key: string; readonly known: OperationRecord | undefined } | undefined {
    const key = scope.keyOf(about.name);
    const digest = operationDigest(about);
    const { kind, title } = about;
    const now = { kind, digest, ...(title !== undefined && { title }) };
    this.met.set(key, { digest, words: operationWords(now) });
    this.#left.delete(key);
    const known = this.current.operations.get(key);
    if (known === undefined || (known.kind === kind && known.digest === digest)) return { key, known };
    this.#first ??= { operation: key, ...sidesOf({ key, recorded: known, now }) };
    return undefined;
  }

  /** The code would begin something that the journal does not have. */
  begins(scope: KeyScope, key: string): Promise<never> {
    const words = this.met.get(key)?.words ?? key;
    this.#fresh.push({ scope, words: `${words}, as \`${key}\`` });
    return this.waits();
  }

  /** The journal does not have what the code goes on with: an answer that was a secret. */
  lacks(): Promise<never> {
    this.#isBlind = true;
    return this.waits();
  }

  waits(): Promise<never> {
    if (!this.#isWatched) {
      this.#isWatched = true;
      void this.#watch();
    }
    return never();
  }

  closed(prefix: string): void {
    this.#closed.push(prefix);
  }

  /** Runs the code until it ends or rests, and gives the first difference. */
  async run(code: () => Promise<unknown>): Promise<DifferenceAt | undefined> {
    const ended = code().then(
      () => {
        this.#end = 'the code ends without it';
      },
      (thrown: unknown) => {
        this.#end = `the code throws \`${messageOf(thrown)}\` before it`;
      },
    );
    await Promise.race([ended, this.#rested]);
    const found = this.#first ?? this.#missed();
    this.#stop.abort();
    return found;
  }

  /** Finds an operation of the journal that the code did not come to. Branches may be left on the way. */
  #missed(): DifferenceAt | undefined {
    if (this.#isBlind) return undefined;
    const left = [...this.#left].filter((key) => !this.#closed.some((prefix) => key.startsWith(prefix)));
    for (const { scope, words } of this.#fresh) {
      const key = scope.isClosed ? undefined : left.find((one) => one.startsWith(scope.prefix));
      if (key !== undefined) return { operation: key, recorded: this.#recorded(key), now: words };
    }
    const key = left.find((one) => !one.includes('/'));
    if (key === undefined) return undefined;
    return { operation: key, recorded: this.#recorded(key), now: `nothing: ${this.#end}` };
  }

  #recorded(key: string): string {
    return operationWords(this.current.operations.get(key) ?? {});
  }

  async #watch(): Promise<void> {
    for (let seen = -1; seen !== this.met.size;) {
      seen = this.met.size;
      for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
    }
    this.#rest();
  }
}
