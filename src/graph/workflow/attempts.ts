import type { ErrorRecord, JsonValue } from '../../core/index.js';
import { errorFrom, isoTime, millisecondsOf, thrownFrom, timeOf } from '../../core/index.js';
import type { Stop } from '../../engine/index.js';
import { TimeLimitError, watchBody } from '../../engine/index.js';
import type { OperationAbout, RetryPolicy, StepContext, StepOptions } from '../operations.js';
import { mayMend, pauseMs, recordOf, shorter, withoutTypedIn } from '../run/index.js';
import { checkJson } from '../state/index.js';
import type { CodeRun } from './code-run.js';
import { WAITS } from './code-run.js';
import type { Operation } from './journaled.js';

/** Keeps that an operation failed, and gives the error that the code sees. */
export async function failing(run: CodeRun, { key }: Operation, error: ErrorRecord): Promise<Error> {
  const { node, visit } = run.current;
  await run.tell({ type: 'op-failed', node, visit, key, error });
  return thrownFrom(error);
}

/** A step of the code, and what it does. */
export interface Step {
  readonly operation: Operation;
  readonly about: OperationAbout;
  readonly body: (context: StepContext) => unknown;
  readonly options: StepOptions;
  /** Comes with that of the run, or when nobody needs the branch any more. */
  readonly stop: Stop;
}

/** Does a step until it succeeds, or is not to be tried again. */
export async function attempts(run: CodeRun, step: Step): Promise<JsonValue | typeof WAITS> {
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

/** The pause behind so many failures, in milliseconds. */
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

/** A step of a branch that lost, whose body did not stop when it was told to. */
const LEFT: ErrorRecord = {
  code: 'ABORTED',
  message:
    'its branch is not needed any more, and it did not stop when it was told to: what it did since is unknown',
};

type AttemptEnd =
  | { readonly type: 'gave'; readonly output: JsonValue }
  | { readonly type: 'failed'; readonly error: ErrorRecord; readonly thrown: unknown }
  /** Nobody knows how far it came. */
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
