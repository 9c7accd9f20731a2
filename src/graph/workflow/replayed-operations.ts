import type { JsonValue } from '../../core/index.js';
import { sha256 } from '../../core/index.js';
import type { CodeOperations, NodeQuestion } from '../definition/graph-definition.js';
import type {
  ChosenOnce,
  OperationAbout,
  OperationBranch,
  OperationJournal,
} from '../definition/code-operations.js';
import { never } from '../run/quiet.js';
import type { CodeReplay } from './code-replay.js';
import type { KeyScope } from './journaled.js';
import { givenAgain, isKnown } from './journaled-operations.js';

/** A graph, tool or agent inside an operation. */
export type Inner = Parameters<CodeOperations['inside']>[1];

/** The operations of workflow code during a replay. Each returns its journaled result. */
export class ReplayedOperations implements CodeOperations {
  readonly path: string;
  readonly #replay: CodeReplay;
  readonly #scope: KeyScope;
  readonly #called: (key: string, what: Inner) => void;

  constructor(
    replay: CodeReplay,
    {
      path,
      scope,
      called,
    }: {
      readonly path: string;
      readonly scope: KeyScope;
      /** Called for each graph, tool or agent that the code started, with the key of its operation. */
      readonly called: (key: string, what: Inner) => void;
    },
  ) {
    this.#replay = replay;
    this.path = path;
    this.#scope = scope;
    this.#called = called;
  }

  get journal(): OperationJournal {
    return this.#replay;
  }

  get signal(): AbortSignal {
    return this.#replay.signal;
  }

  now(): number {
    return 0; // what comes of it is kept nowhere, and leads nowhere
  }

  draw(key: string): string {
    return sha256(`${this.path}/${key}`);
  }

  choose(about: OperationAbout): ChosenOnce {
    const entered = this.#replay.enter(this.#scope, about);
    if (entered === undefined) {
      const waits = this.#replay.waits();
      return { key: '', keep: () => waits };
    }
    const { key, known } = entered;
    return {
      key,
      ...(known?.status === 'settled' && { known: known.output }),
      keep: () => this.#begins(key),
    };
  }

  async emit(): Promise<void> {
    // shown to nobody
  }

  async checkpoint(about: OperationAbout): Promise<void> {
    const chosen = this.choose(about);
    if (chosen.known === undefined) await chosen.keep(null);
  }

  do(about: OperationAbout): Promise<JsonValue> {
    return this.#given(about);
  }

  async ask(about: OperationAbout): Promise<JsonValue> {
    const entered = this.#replay.enter(this.#scope, about);
    if (entered === undefined) return this.#replay.waits();
    const { key, known } = entered;
    if (isKnown(known)) return givenAgain(known);
    const answer = this.#replay.asked(key)?.answer;
    if (answer?.secrets !== undefined) return this.#replay.lacks();
    if (answer !== undefined) return answer.value;
    return known === undefined ? this.#begins(key) : this.#replay.waits();
  }

  inside(about: OperationAbout, what: Inner): Promise<JsonValue> {
    return this.#given(about, (key) => {
      this.#called(key, what);
    });
  }

  branch(name: string): OperationBranch<NodeQuestion, Inner> {
    const replay = this.#replay;
    const scope = this.#scope.branch(replay.prefixOf(this.#scope, name));
    return {
      operations: new ReplayedOperations(replay, { path: this.path, scope, called: this.#called }),
      close() {
        scope.stop.abort();
        replay.closes(scope);
        return Promise.resolve();
      },
    };
  }

  async #given(about: OperationAbout, came?: (key: string) => void): Promise<JsonValue> {
    const entered = this.#replay.enter(this.#scope, about);
    if (entered === undefined) return this.#replay.waits();
    const { key, known } = entered;
    if (known === undefined) return this.#begins(key);
    came?.(key);
    return isKnown(known) ? givenAgain(known) : this.#replay.waits();
  }

  /** Handles an operation that is not in the journal; does nothing in a dropped branch. */
  #begins(key: string): Promise<never> {
    return this.#scope.isClosed ? never() : this.#replay.begins(this.#scope, key);
  }
}
