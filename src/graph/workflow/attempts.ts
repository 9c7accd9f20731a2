import type { ErrorRecord, JsonValue } from '../../core/index.js';
import { errorFrom, isoTime, millisecondsOf, thrownFrom, timeOf } from '../../core/index.js';
import { TimeLimitError, watchBody } from '../../engine/index.js';
import type { OperationAbout, RetryPolicy, StepContext, StepOptions } from '../operations.js';
import { mayMend, never, pauseMs, recordOf, shorter, withoutTypedIn } from '../run/index.js';
import { checkJson } from '../state/index.js';
import type { CodeRun } from './code-run.js';
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
}

/** Does a step until it succeeds, or is not to be tried again. */
export async function attempts(run: CodeRun, step: Step): Promise<JsonValue> {
  const { operation, about, options } = step;
  const { clock } = run.loop.options.run;
  const { effect = 'once', retry = {} } = options;
  const { node, visit } = run.current;
  const { key, known } = operation;
  let failures = known?.status === 'started' ? (known.failures ?? 0) : 0;
  let at = known?.status === 'started' ? known.at : undefined;
  for (;;) {
    if (at !== undefined && !(await sleepUntil(run, timeOf(at)))) return never();
    await run.tell(
      run.startOf(failures === 0 ? operation : { ...operation, at: clock.now() }, about, effect),
    );
    const end = await attempt(run, step, failures + 1);
    if (end.type === 'stopped') return never();
    if (end.type === 'gave') {
      await run.tell(run.settledOf(operation, end.output));
      return end.output;
    }
    failures += 1;
    const { error, thrown } = end;
    const isLast = failures >= (retry.attempts ?? 1) || !mayMend(retry.when, thrown);
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

async function sleepUntil(run: CodeRun, at: number): Promise<boolean> {
  const { clock } = run.loop.options.run;
  const ms = at - clock.now();
  if (ms > 0) await clock.sleep(ms, run.stop.signal).catch(() => undefined); // an abort is seen below
  return !run.stop.aborted;
}

type AttemptEnd =
  | { readonly type: 'gave'; readonly output: JsonValue }
  | { readonly type: 'failed'; readonly error: ErrorRecord; readonly thrown: unknown }
  /** Nobody knows how far it came. */
  | { readonly type: 'stopped' };

async function attempt(
  run: CodeRun,
  { operation: { key }, body, options: { timeout } }: Step,
  count: number,
): Promise<AttemptEnd> {
  const { loop, current, stop } = run;
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
    giveUp(isLate() ? late() : { type: 'stopped' });
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
      const value = await body(context);
      const output = checkJson(value ?? null, key, { node: current.node });
      return isLate() ? late() : { type: 'gave', output: loop.vault.mask(output) };
    } catch (thrown) {
      if (isLate()) return late();
      if (stop.aborted) return { type: 'stopped' };
      return { type: 'failed', error: withoutTypedIn(recordOf(thrown), loop.vault), thrown };
    }
  };
  try {
    return await Promise.race([entered(), givenUp]);
  } finally {
    watch.end();
  }
}
