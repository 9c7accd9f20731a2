import type {
  Call,
  Clock,
  InterruptDraft,
  JsonValue,
  Tool,
  ToolContext,
  ToolErrorCode,
  ToolOutcome,
} from '../core/index.js';
import { HitlError, isJsonObject, messageOf } from '../core/index.js';
import { interruptIn, InterruptSignal } from './interrupt-signal.js';
import { toolOutcome } from './tool-outcome.js';

/**
 * How one run of a tool's body ended. `abandoned`: it was told to stop and did not, and nobody knows what it did;
 * `error` is what it threw.
 */
export type ToolRun =
  | { readonly type: 'settled'; readonly outcome: ToolOutcome; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly draft: InterruptDraft }
  | { readonly type: 'abandoned' };

export interface ToolRunOptions {
  /** Parsed and frozen: exactly what was shown, where a person approved it (G12). */
  readonly input: JsonValue;
  readonly clock: Clock;
  readonly idempotencyKey: string;
  readonly progress: (text: string) => void;
}

/** How long a tool that was told to stop may take to do so, in milliseconds. */
const GRACE_MS = 2_000;

/** The answer to a call that a stop came before (G14, G21). */
export const NOT_STARTED = failure('not-run', 'stopped by the user before it started; it did not run');

function failure(code: ToolErrorCode, message: string): ToolOutcome {
  return { type: 'error', code, message };
}

/**
 * Runs the body of one call: its context, its time limit, and everything in which it can end. Never throws.
 * A body is not entered once the signal has aborted.
 */
export async function runTool(
  tool: Tool,
  call: Call,
  options: ToolRunOptions,
  signal: AbortSignal,
): Promise<ToolRun> {
  if (signal.aborted) return { type: 'settled', outcome: NOT_STARTED };
  const stop = new AbortController();
  const onAbort = (): void => {
    stop.abort(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const settled = new AbortController();
  try {
    const body = runBody(tool, call, options, stop.signal);
    const overdue = watch(tool, options.clock, stop, settled.signal);
    return await Promise.race([body, overdue]);
  } finally {
    settled.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Stops a body at its time limit, and gives up on one that does not stop. Never resolves while the body may go on. */
async function watch(
  tool: Tool,
  clock: Clock,
  stop: AbortController,
  settled: AbortSignal,
): Promise<ToolRun> {
  const never = new Promise<never>(() => undefined);
  try {
    await stopped(stop, tool.timeoutMs, clock, settled);
    await clock.sleep(GRACE_MS, settled);
    return abandoned(tool, stop.signal);
  } catch {
    // The body has settled; whoever raced against this has its result.
    return never;
  }
}

/** A tool without lasting effects is given up; for the rest somebody has to find out what it did (G10). */
function abandoned(tool: Tool, signal: AbortSignal): ToolRun {
  if (tool.effect === 'once') return { type: 'abandoned' };
  const { code, message } = stopOf(signal);
  return { type: 'settled', outcome: failure(code, `${message}, and did not stop when it was told to`) };
}

async function stopped(
  stop: AbortController,
  timeoutMs: number | undefined,
  clock: Clock,
  settled: AbortSignal,
): Promise<void> {
  if (stop.signal.aborted) return;
  const aborted = new Promise<void>((resolve, reject) => {
    stop.signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
    settled.addEventListener(
      'abort',
      () => {
        reject(new HitlError('ABORTED', 'the tool has settled'));
      },
      { once: true },
    );
  });
  if (timeoutMs === undefined) return aborted;
  const timedOut = clock.sleep(timeoutMs, settled).then(() => {
    stop.abort(new HitlError('ABORTED', `no result within ${timeoutMs} ms`, { detail: { timeoutMs } }));
  });
  await Promise.race([aborted, timedOut]);
}

async function runBody(
  tool: Tool,
  call: Call,
  options: ToolRunOptions,
  signal: AbortSignal,
): Promise<ToolRun> {
  const { input } = options;
  const { approval } = call;
  let raised: InterruptSignal | undefined;
  const context: ToolContext = {
    signal,
    ref: call.request.ref,
    idempotencyKey: options.idempotencyKey,
    attempt: call.attempts + 1,
    ...(call.resumed !== undefined && { resumed: call.resumed }),
    ...(call.originalInput !== undefined && { originalInput: call.originalInput }),
    ...(approval !== undefined && { approved: { shown: approval.shown, edited: approval.edited } }),
    interrupt(payload, interruptOptions) {
      raised ??= new InterruptSignal(payload, interruptOptions);
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- a signal, not an error: nothing went wrong
      throw raised;
    },
    progress: options.progress,
  };
  try {
    const result = await tool.execute(input, context);
    // A `try/catch` in the body swallowed the signal: the person is asked all the same.
    if (raised !== undefined) return { type: 'interrupted', draft: draftOf(tool, call, input, raised) };
    return { type: 'settled', outcome: await toolOutcome(tool, result) };
  } catch (thrown) {
    const interrupt = raised ?? interruptIn(thrown);
    if (interrupt !== undefined) return { type: 'interrupted', draft: draftOf(tool, call, input, interrupt) };
    return { type: 'settled', outcome: failureOf(tool, thrown, signal), error: thrown };
  }
}

function draftOf(
  tool: Tool,
  call: Call,
  input: JsonValue,
  { payload, options }: InterruptSignal,
): InterruptDraft {
  const kind = options.kind ?? (tool.restartable ? 'confirmation' : 'question');
  const answerSchema = options.answerSchema ?? tool.outputSchema;
  const { ref, name } = call.request;
  return {
    kind,
    source: { type: 'tool', ref, name, input, raisedBy: 'tool' },
    payload,
    ...(answerSchema !== undefined && { answerSchema }),
  };
}

function failureOf(tool: Tool, thrown: unknown, signal: AbortSignal): ToolOutcome {
  if (!signal.aborted) return failure('failed', messageOf(thrown));
  const { code, message } = stopOf(signal);
  const doubt = tool.effect === 'once' ? '; what it did until then is unknown' : '';
  return failure(code, `${message}${doubt}`);
}

/** Why a body was told to stop: its time was up, or the run was stopped. */
function stopOf(signal: AbortSignal): { code: ToolErrorCode; message: string } {
  const reason: unknown = signal.reason;
  const timedOut =
    reason instanceof HitlError && isJsonObject(reason.detail) && Object.hasOwn(reason.detail, 'timeoutMs');
  return timedOut
    ? { code: 'timeout', message: `stopped: ${messageOf(reason)}` }
    : { code: 'aborted', message: 'stopped by the user while it ran' };
}
