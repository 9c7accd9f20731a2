import type {
  Call,
  Clock,
  InterruptDraft,
  JsonValue,
  Tool,
  ToolContext,
  ToolOutcome,
  ToolResult,
} from '../core/index.js';
import { HitlError, isJsonObject, messageOf } from '../core/index.js';
import { interruptIn, InterruptSignal } from './interrupt-signal.js';

/** How one run of a tool's body ended. `abandoned`: it was told to stop and did not; nobody knows what it did. */
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

/** The name of the answer to a tool call that did not return what it declared. */
function failure(code: (ToolOutcome & { type: 'error' })['code'], message: string): ToolOutcome {
  return { type: 'error', code, message };
}

/** Runs the body of one call: its context, its time limit, and everything in which it can end. Never throws. */
export async function runTool(
  tool: Tool,
  call: Call,
  options: ToolRunOptions,
  signal: AbortSignal,
): Promise<ToolRun> {
  const stop = new AbortController();
  const onAbort = (): void => {
    stop.abort(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
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
    return { type: 'abandoned' };
  } catch {
    // The body has settled; whoever raced against this has its result.
    return never;
  }
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
  let raised: InterruptSignal | undefined;
  const context: ToolContext = {
    signal,
    ref: call.request.ref,
    idempotencyKey: options.idempotencyKey,
    attempt: call.attempts + 1,
    ...(call.resumed !== undefined && { resumed: call.resumed }),
    ...(call.originalInput !== undefined && { originalInput: call.originalInput }),
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
    return { type: 'settled', outcome: await outcomeOf(tool, result) };
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
  const reason: unknown = signal.reason;
  const timedOut =
    reason instanceof HitlError && isJsonObject(reason.detail) && Object.hasOwn(reason.detail, 'timeoutMs');
  const doubt = tool.effect === 'once' ? '; what it did until then is unknown' : '';
  return timedOut
    ? failure('timeout', `stopped: ${messageOf(reason)}${doubt}`)
    : failure('aborted', `stopped by the user while it ran${doubt}`);
}

async function outcomeOf(tool: Tool, result: JsonValue | ToolResult): Promise<ToolOutcome> {
  const multipart = tool.multipart === true && isToolResult(result);
  const raw: unknown = multipart ? result.output : result;
  const output = asJson(raw);
  if (output === undefined) return failure('invalid-output', 'the tool returned a value that is not JSON');
  const parsed = await tool.parseOutput(output);
  if (!parsed.ok)
    return failure(
      'invalid-output',
      `the tool's output does not fit its schema: ${parsed.issues.join('; ')}`,
    );
  if (!multipart) return { type: 'output', output: parsed.value };
  const { content, metadata } = result;
  return { type: 'output', output: parsed.value, ...(content && { content }), ...(metadata && { metadata }) };
}

function isToolResult(result: JsonValue | ToolResult): result is ToolResult {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, 'output');
}

/** A copy that owns nothing of the tool's; no value at all counts as `null`. `undefined` where it is not JSON. */
function asJson(value: unknown): JsonValue | undefined {
  if (value === undefined) return null;
  try {
    const text: unknown = JSON.stringify(value, wellFormed);
    if (typeof text !== 'string') return undefined;
    const parsed: unknown = JSON.parse(text);
    return isJson(parsed) ? parsed : undefined;
  } catch {
    return undefined; // cycles, BigInt: the caller says so
  }
}

/** G8: text that no file and no provider takes is made well formed where it enters. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : value;
}

function isJson(_value: unknown): _value is JsonValue {
  return true; // made by JSON.parse
}
