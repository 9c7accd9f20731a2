import type { JsonValue, OperationRecord, ErrorRecord } from '../../core/index.js';
import {
  activationId,
  HitlError,
  nodePath,
  sha256,
  thrownFrom,
  errorFrom,
  isoTime,
  millisecondsOf,
  timeOf,
  recordOf,
} from '../../core/index.js';
import { lapsedAnswer, questionDraft } from '../run/questions.js';
import type { CodeOperations, NodeQuestion } from '../definition/graph-definition.js';
import type {
  BranchTurn,
  ChosenOnce,
  OperationAbout,
  OperationBranch,
  OperationJournal,
  StepContext,
  StepOptions,
  RetryPolicy,
} from '../definition/code-operations.js';
import { answerTo } from '../run/known-answer.js';
import { never } from '../run/quiet.js';
import type { CodeRun } from './code-run.js';
import { checkBegin, WAITS } from './code-run.js';
import type { Operation, KeyScope } from './journaled.js';
import { runInside } from './run-in-operation.js';
import type { Stop } from '../../engine/index.js';
import { TimeLimitError, watchBody } from '../../engine/index.js';
import { mayMend, pauseMs, shorter } from '../run/retry.js';
import { withoutTypedIn } from '../run/graph-loop.js';
import { checkJson } from '../state/check-state.js';

type Inner = Parameters<CodeOperations['inside']>[1];

/** The operations available at one location in workflow code. */
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
      throw new HitlError('NODE_FAILED', 'a branch cannot save a checkpoint', {
        hint: 'save it after the branches',
      });
    const chosen = this.choose(about);
    const begun = run.begun.filter((key) => key !== chosen.key);
    if (begun.length > 0)
      throw new HitlError(
        'NODE_FAILED',
        `a checkpoint requires finished operations; still open: \`${begun.join(', ')}\``,
        {
          hint: '`await` them before the checkpoint',
        },
      );
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

  /** Returns the journaled result, or runs the operation once if it may still start. */
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

/** An ended operation. */
export type Over = OperationRecord & { readonly status: 'settled' | 'failed' };

/** Whether the end of an operation is in the journal. */
export function isKnown(record: OperationRecord | undefined): record is Over {
  return record !== undefined && record.status !== 'started';
}

/**
 * Returns the journaled result of an operation, or throws its journaled error, so that every replay behaves
 * the same.
 */
export function givenAgain(record: Over): JsonValue {
  if (record.status === 'failed') throw thrownFrom(record.error);
  return record.output;
}

/** Journals an operation's failure and returns the error for the code. */
async function failing(run: CodeRun, { key }: Operation, error: ErrorRecord): Promise<Error> {
  const { node, visit } = run.current;
  await run.tell({ type: 'op-failed', node, visit, key, error });
  return thrownFrom(error);
}

/** A step in the code, with its function. */
export interface Step {
  readonly operation: Operation;
  readonly about: OperationAbout;
  readonly body: (context: StepContext) => unknown;
  readonly options: StepOptions;
  /** Follows the run's stop, and also aborts when the branch is dropped. */
  readonly stop: Stop;
}

/** Runs a step until it succeeds or must not be retried. */
async function attempts(run: CodeRun, step: Step): Promise<JsonValue | typeof WAITS> {
  const { operation, about, options, stop } = step;
  const { clock } = run.loop.options.run;
  const { effect = 'once', retry = {} } = options;
  const { node, visit } = run.current;
  const { key, known } = operation;
  let failures = known?.status === 'started' ? (known.failures ?? 0) : 0;
  let at = known?.status === 'started' ? known.at : undefined;
  for (;;) {
    if (at !== undefined && !(await sleepUntil(run, timeOf(at), stop))) return WAITS;
    await run.tell(
      run.startOf(failures === 0 ? operation : { ...operation, at: clock.now() }, about, effect),
    );
    const end = await attempt(run, step, failures + 1);
    if (end.type === 'stopped') return WAITS;
    if (end.type === 'gave') {
      await run.tell(run.settledOf(operation, end.output));
      return end.output;
    }
    failures += 1;
    const { error, thrown } = end;
    const isLast = stop.aborted || failures >= (retry.attempts ?? 1) || !mayMend(retry.when, thrown);
    if (isLast) throw await failing(run, operation, error);
    at = isoTime(clock.now() + pauseOf(retry, failures, run, key));
    await run.tell({ type: 'op-failed', node, visit, key, error, again: at });
  }
}

/** Returns the pause after this many failures, in milliseconds. */
function pauseOf(retry: RetryPolicy, failures: number, run: CodeRun, key: string): number {
  const whole = pauseMs(retry, failures, { delayMs: 1_000, capMs: 60_000 });
  return shorter(whole, retry.jitter ?? 0, [run.loop.options.run.runId, key, failures]);
}

async function sleepUntil(run: CodeRun, at: number, stop: Stop): Promise<boolean> {
  const { clock } = run.loop.options.run;
  const ms = at - clock.now();
  if (ms > 0) await clock.sleep(ms, stop.signal).catch(() => undefined); // an abort is seen below
  return !stop.aborted;
}

/** The error for a step in a dropped branch whose body ignored its stop. */
const LEFT: ErrorRecord = {
  code: 'ABORTED',
  message: 'its branch was dropped, and it did not stop when asked to: the outcome is unknown',
};

type AttemptEnd =
  | { readonly type: 'gave'; readonly output: JsonValue }
  | { readonly type: 'failed'; readonly error: ErrorRecord; readonly thrown: unknown }
  /** The step was stopped, and its progress is unknown. */
  | { readonly type: 'stopped' };

async function attempt(
  run: CodeRun,
  { operation: { key }, body, options: { timeout }, stop }: Step,
  count: number,
): Promise<AttemptEnd> {
  const { loop, current } = run;
  const { clock, runId } = loop.options.run;
  const timeoutMs = millisecondsOf(timeout);
  let giveUp: (end: AttemptEnd) => void = () => undefined;
  const givenUp = new Promise<AttemptEnd>((resolve) => {
    giveUp = resolve;
  });
  const late = (): AttemptEnd => {
    const error = { code: 'NODE_FAILED', message: `\`${key}\` took longer than ${timeoutMs ?? 0} ms` };
    return { type: 'failed', error, thrown: errorFrom(error) };
  };
  const isLate = (): boolean => watch.stop.reason instanceof TimeLimitError;
  const onOverdue = (): void => {
    if (isLate()) giveUp(late());
    else
      giveUp(
        run.stop.aborted ? { type: 'stopped' } : { type: 'failed', error: LEFT, thrown: errorFrom(LEFT) },
      );
  };
  const watch = watchBody({ timeoutMs, clock, onOverdue }, stop);
  const context: StepContext = {
    key,
    attempt: count,
    idempotencyKey: `${runId}:${loop.pathOf(current)}/${key}`,
    get signal() {
      return watch.stop.signal;
    },
  };
  const entered = async (): Promise<AttemptEnd> => {
    try {
      const value = await run.inStep(key, () => body(context));
      const output = checkJson(value ?? null, key, { node: current.node });
      return isLate() ? late() : { type: 'gave', output: loop.vault.mask(output) };
    } catch (thrown) {
      if (isLate()) return late();
      if (run.stop.aborted) return { type: 'stopped' };
      return { type: 'failed', error: withoutTypedIn(recordOf(thrown), loop.vault), thrown };
    }
  };
  try {
    return await Promise.race([entered(), givenUp]);
  } finally {
    watch.end();
  }
}
