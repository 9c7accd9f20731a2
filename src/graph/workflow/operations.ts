import type { JsonValue, OperationRecord } from '../../core/index.js';
import { activationId, HitlError, nodePath, sha256, thrownFrom } from '../../core/index.js';
import { lapsedAnswer, questionDraft } from '../gates/index.js';
import type { CodeOperations, NodeQuestion } from '../graph-definition.js';
import type {
  BranchTurn,
  ChosenOnce,
  OperationAbout,
  OperationBranch,
  OperationJournal,
  StepContext,
  StepOptions,
} from '../operations.js';
import { attempts, failing } from './attempts.js';
import { answerTo, never } from '../run/index.js';
import type { CodeRun } from './code-run.js';
import { checkBegin, WAITS } from './code-run.js';
import type { Operation } from './journaled.js';
import type { KeyScope } from './journaled.js';
import { runInside } from './run-inside.js';

type Inner = Parameters<CodeOperations['inside']>[1];

/** The operations of a workflow's code at one place of it. */
export class JournaledOperations implements CodeOperations {
  readonly #run: CodeRun;
  readonly #scope: KeyScope;

  constructor(run: CodeRun, scope: KeyScope) {
    this.#run = run;
    this.#scope = scope;
  }

  get path(): string {
    return this.#run.loop.pathOf(this.#run.current);
  }

  get journal(): OperationJournal {
    return this.#run;
  }

  get signal(): AbortSignal {
    return this.#run.stop.signal;
  }

  now(): number {
    return this.#run.loop.options.run.clock.now();
  }

  draw(key: string): string {
    return sha256(`${this.#run.loop.options.run.runId}:${this.path}/${key}`);
  }

  choose(about: OperationAbout): ChosenOnce {
    const run = this.#run;
    const operation = run.enter(this.#scope, about);
    const scope = this.#scope;
    if (operation === undefined) return { key: '', keep: never };
    const { key, known } = operation;
    return {
      key,
      ...(known?.status === 'settled' && { known: known.output }),
      keep: async (value) => {
        if (await run.isBarred(scope, operation, about)) return never();
        return run.working({ scope }, async () => {
          await run.tell(run.startOf(operation, about), run.settledOf(operation, value));
          return value;
        });
      },
    };
  }

  async emit(data: JsonValue): Promise<void> {
    const run = this.#run;
    if (run.isClosed(this.#scope)) return never();
    const event = { type: 'emitted', data: run.loop.vault.mask(data) } as const;
    await run.show({ ...event, scope: nodePath(activationId(run.current)) });
  }

  async checkpoint(about: OperationAbout, state: JsonValue): Promise<void> {
    const run = this.#run;
    if (this.#scope.prefix !== '')
      throw new HitlError('NODE_FAILED', 'a branch keeps no checkpoint', {
        hint: 'do it behind the branches',
      });
    const chosen = this.choose(about);
    const begun = run.begun.filter((key) => key !== chosen.key);
    if (begun.length > 0)
      throw new HitlError('NODE_FAILED', `a checkpoint leaves nothing open: \`${begun.join(', ')}\``, {
        hint: '`await` it before the checkpoint',
      });
    if (chosen.known === undefined) await chosen.keep(state);
  }

  do(
    about: OperationAbout,
    body: (context: StepContext) => unknown,
    options: StepOptions,
  ): Promise<JsonValue> {
    const { stop } = this.#scope;
    const begin = (operation: Operation): ReturnType<typeof attempts> =>
      attempts(this.#run, { operation, about, body, options, stop });
    return this.#once(about, begin, options.effect === 'none');
  }

  async ask(about: OperationAbout, question: NodeQuestion): Promise<JsonValue> {
    const run = this.#run;
    const operation = run.enter(this.#scope, about);
    if (operation === undefined) return never();
    if (isKnown(operation.known)) return givenAgain(operation.known);
    const asked = run.asked(operation.key);
    const lapsed = asked === undefined || about.kind !== 'ask' ? [] : run.lapsed(asked);
    const answer = asked && answerTo(asked, run.loop.vault);
    if (answer !== undefined && lapsed.length === 0) return answer;
    const isOpen = asked !== undefined && asked.answer === undefined;
    if (isOpen) return run.waits(this.#scope);
    if (await run.isBarred(this.#scope, operation, about)) return never();
    const { source, ...draft } = lapsedAnswer(questionDraft(run.current, question), lapsed);
    const from = source.type === 'node' ? { ...source, operation: operation.key } : source;
    const raised = run.loop.raised({ ...draft, source: from, payload: run.loop.vault.mask(draft.payload) });
    return run.working<JsonValue>({ scope: this.#scope }, async () => {
      await run.tell(...(operation.known === undefined ? [run.startOf(operation, about)] : []), raised);
      return WAITS;
    });
  }

  inside(about: OperationAbout, what: Inner): Promise<JsonValue> {
    const run = this.#run;
    return this.#once(about, async (operation) => {
      if (operation.known === undefined) await run.tell(run.startOf(operation, about));
      const end = await runInside(run, { key: operation.key, stop: this.#scope.stop }, what);
      switch (end.type) {
        case 'waits':
        case 'stopped':
          return WAITS;
        case 'gave':
          await run.tell(run.settledOf(operation, end.output));
          return end.output;
        case 'failed':
          throw await failing(run, operation, end.error);
      }
    });
  }

  branch(name: string, turn: BranchTurn): OperationBranch<NodeQuestion, Inner> {
    const run = this.#run;
    const scope = this.#scope.branch(run.prefixOf(this.#scope, name), turn);
    return { operations: new JournaledOperations(run, scope), close: () => run.lose(scope) };
  }

  /** Gives what the journal has, or does it: once, and only where something may still begin. */
  async #once(
    about: OperationAbout,
    work: (operation: Operation) => Promise<JsonValue | typeof WAITS>,
    isHarmless = false,
  ): Promise<JsonValue> {
    const run = this.#run;
    const operation = run.enter(this.#scope, about);
    if (operation === undefined) return never();
    if (isKnown(operation.known)) return givenAgain(operation.known);
    if (await run.isBarred(this.#scope, operation, about)) return never();
    const { start } = run.loop;
    if (run.isUndeclared(about)) return never();
    const gate = run.gate(operation, about, start, isHarmless);
    if (gate === 'open') return run.waits(this.#scope);
    checkBegin(operation);
    return run.working<JsonValue>({ scope: this.#scope, key: operation.key }, async () => {
      if (gate !== 'shut') return await work({ ...operation, at: start.at });
      await run.tell(run.gateOf(operation, about));
      return WAITS;
    });
  }
}

/** An operation that has come to its end. */
export type Over = OperationRecord & { readonly status: 'settled' | 'failed' };

/** True for what the journal has the end of. */
export function isKnown(record: OperationRecord | undefined): record is Over {
  return record !== undefined && record.status !== 'started';
}

/** Gives what an operation came to: the same value, or the same error, the first time and in each replay. */
export function givenAgain(record: Over): JsonValue {
  if (record.status === 'failed') throw thrownFrom(record.error);
  return record.output;
}
