import type {
  AnswerWay,
  Call,
  Clock,
  Effect,
  FileBefore,
  Interrupt,
  InterruptDraft,
  InterruptKind,
  InterruptOptions,
  JsonValue,
  NotedFile,
  SecretVault,
  SessionEvent,
  Tool,
  ToolContext,
  ToolErrorCode,
  ToolOutcome,
  ToolResult,
  TransientEvent,
} from '../core/index.js';
import {
  allowedActions,
  CallBase,
  HitlError,
  interruptIn,
  InterruptSignal,
  isDeeperThan,
  isOutcomeUnknown,
  isoTime,
  isSuspension,
  MAX_DEPTH,
  messageOf,
  narrowed,
  returnedProblem,
  sealAnswer,
  sha256,
  toWellFormed,
  toWellFormedJson,
} from '../core/index.js';
import { bindingOf, toolSource } from './interrupts.js';
import type { RunOptions } from './run-options.js';
import type { RoundScene, RunnableCall } from './prepare-call.js';
import { checked, NOTHING_TYPED } from './prepare-call.js';
import type { Stop } from './stop.js';
import { TimeLimitError, watchBody } from './stop.js';

/**
 * Result of running a tool. `abandoned`: the tool ignored its stop signal or reported an unknown outcome, or
 * the run was suspended. `error`: the value that the tool threw.
 */
export type ToolRun =
  | { readonly type: 'settled'; readonly outcome: ToolOutcome; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly draft: InterruptDraft }
  | { readonly type: 'abandoned' };

/** Environment and callbacks for running a tool. */
export interface ToolRunOptions {
  readonly clock: Clock;
  readonly idempotencyKey: string;
  /** The session or conversation that approvals are bound to. */
  readonly runId: string;
  /** Vault of the secrets that people typed; `undefined` if there are none. */
  readonly vault: SecretVault | undefined;
  readonly keepCopy: RunOptions['keepCopy'] | undefined;
  readonly scene: RoundScene;
  readonly progress: (event: TransientEvent) => void;
  /** Creates a question that the tool asks while it is running. */
  readonly make: (draft: InterruptDraft) => Interrupt;
  /** Stores an event of the running tool durably. @throws HitlError ABORTED if the round ends first */
  readonly keep: (event: SessionEvent) => Promise<void>;
}

/** The outcome of a call that had not started when the run was stopped (G14, G21). */
export const NOT_STARTED = failure('not-run', 'stopped by the user before it started; it did not run');

function failure(code: ToolErrorCode, message: string): ToolOutcome {
  return { type: 'error', code, message };
}

/**
 * Runs the tool of a call, with its context and time limit, and handles every way in which it can end. Typed
 * secrets are masked in the result. After a stop, the tool is not started. Never throws.
 */
export async function runTool(
  runnable: RunnableCall,
  options: ToolRunOptions,
  around: Stop,
): Promise<ToolRun> {
  if (isSuspension(around.reason)) return { type: 'abandoned' };
  if (around.aborted) return { type: 'settled', outcome: NOT_STARTED };
  const run = await withinTime(runnable, options, around);
  return options.vault === undefined ? run : masked(run, options.vault);
}

/** Runs the tool with its own stop signal. A tool that ignores the signal is abandoned. */
function withinTime(runnable: RunnableCall, options: ToolRunOptions, around: Stop): Promise<ToolRun> {
  return new Promise((resolve) => {
    const { tool } = runnable;
    const questions = new LiveQuestions(runnable, options);
    const onOverdue = (): void => {
      end(abandoned(runnable, watch.stop));
    };
    const watch = watchBody({ timeoutMs: tool.timeoutMs, clock: options.clock, onOverdue }, around);
    const end = (run: ToolRun): void => {
      watch.end();
      questions.close();
      resolve(run);
    };
    void runBody(runnable, options, { stop: watch.stop, questions }).then(end);
  });
}

/**
 * Returns the result of a tool that ignored its stop signal. If the call can safely be repeated, it is
 * settled as an error. Otherwise, a person must determine the outcome (G10).
 */
function abandoned({ effect }: RunnableCall, stop: Stop): ToolRun {
  if (effect === 'once' || isSuspension(stop.reason)) return { type: 'abandoned' };
  const { code, message } = reasonOf(stop);
  return { type: 'settled', outcome: failure(code, `${message}, and did not stop when asked to`) };
}

async function runBody(
  runnable: RunnableCall,
  options: ToolRunOptions,
  { stop, questions }: { readonly stop: Stop; readonly questions: LiveQuestions },
): Promise<ToolRun> {
  const { tool, input, effect, given } = runnable;
  const context = new CallContext(runnable, { ...options, questions }, stop);
  try {
    const result = await tool.execute(given === undefined ? input : given.input, context);
    const { raised } = context;
    // A `try/catch` in the body swallowed the signal: the person is asked all the same.
    if (raised !== undefined) return { type: 'interrupted', draft: draftOf(runnable, options, raised) };
    return { type: 'settled', outcome: await outcomeOf(tool, result) };
  } catch (thrown) {
    const interrupt = context.raised ?? interruptIn(thrown);
    if (interrupt !== undefined) return { type: 'interrupted', draft: draftOf(runnable, options, interrupt) };
    if (isSuspension(stop.reason)) return { type: 'abandoned' };
    if (effect === 'once' && isOutcomeUnknown(thrown)) return { type: 'abandoned' };
    return { type: 'settled', outcome: failureOf(effect, thrown, stop), error: thrown };
  }
}

function draftOf(
  runnable: RunnableCall,
  { runId }: ToolRunOptions,
  { payload, options, deadline }: InterruptSignal,
): InterruptDraft {
  const { call, tool } = runnable;
  const kind = options.kind ?? (tool.restartable ? 'confirmation' : 'question');
  const answerSchema = options.answerSchema ?? tool.outputSchema;
  return {
    kind,
    source: toolSource(call, runnable, 'tool'),
    payload,
    ...waysAllowed(tool, kind, options.allowed),
    ...(answerSchema !== undefined && { answerSchema }),
    ...(kind === 'question' && options.kept !== undefined && { kept: options.kept }),
    bound: bindingOf(tool, runId),
    ...deadline,
  };
}

/**
 * Returns the actions that a tool offers at its question. A tool that only asks cannot be run, so it does not
 * offer `restart` or `retry` (case 61).
 */
function waysAllowed(
  { restartable, inputSchema, resumeSchema }: Tool,
  kind: InterruptKind,
  offered: readonly AnswerWay[] | undefined,
): Pick<InterruptDraft, 'allowed' | 'edit' | 'inputSchema' | 'resumeSchema'> {
  const source = { type: 'tool' } as const;
  const ways =
    offered === undefined ? { allowed: allowedActions(kind, source) } : narrowed(kind, source, offered);
  const allowed = ways.allowed.filter(
    (action) => restartable || (action !== 'restart' && action !== 'retry'),
  );
  const runs = allowed.includes('restart');
  return { ...ways, allowed, ...(runs && { inputSchema, ...(resumeSchema && { resumeSchema }) }) };
}

function failureOf(effect: Effect, thrown: unknown, stop: Stop): ToolOutcome {
  if (!stop.aborted) return failure('failed', messageOf(thrown));
  const { code, message } = reasonOf(stop);
  const doubt = effect === 'once' ? '; it may have partly run' : '';
  return failure(code, `${message}${doubt}`);
}

/** Returns the reason that a tool was stopped: its time limit, or a stop of the run. */
function reasonOf({ reason }: Stop): { code: ToolErrorCode; message: string } {
  return reason instanceof TimeLimitError
    ? { code: 'timeout', message: `stopped: ${reason.message}` }
    : { code: 'aborted', message: 'stopped by the user' };
}

type ContextOptions = Pick<ToolRunOptions, 'idempotencyKey' | 'progress' | 'vault' | 'keepCopy' | 'scene'> & {
  readonly questions: LiveQuestions;
};

/**
 * Returns the value that an approval passes to the call. If the tool itself asked, it receives the value as
 * `resumed` instead.
 */
function passedOn({ resolved }: Call): Pick<NonNullable<ToolContext['approved']>, 'metadata'> {
  if (resolved?.resolution.action !== 'restart' || resolved.interrupt.source.type !== 'tool') return {};
  const { metadata } = resolved.resolution;
  return metadata === undefined || resolved.interrupt.source.raisedBy === 'tool' ? {} : { metadata };
}

/** Context of a running tool. Its methods do not use `this`, so that tools can destructure it. */
class CallContext extends CallBase implements ToolContext {
  declare readonly resumed?: JsonValue;
  declare readonly originalInput?: JsonValue;
  declare readonly approved?: NonNullable<ToolContext['approved']>;
  declare readonly noteFile?: NonNullable<ToolContext['noteFile']>;
  readonly progress: (text: string) => void;
  readonly askAtOnce: NonNullable<ToolContext['askAtOnce']>;
  readonly interrupt: (payload?: JsonValue, options?: InterruptOptions) => never;
  #raised: InterruptSignal | undefined;

  constructor(
    { call, given }: RunnableCall,
    { idempotencyKey, progress, vault, keepCopy, scene, questions }: ContextOptions,
    stop: Stop,
  ) {
    const { request, attempts, originalInput, approval } = call;
    super(scene, { ref: request.ref, idempotencyKey, attempt: attempts + 1 }, stop);
    const resumed = given?.resumed === undefined ? call.resumed : given.resumed;
    if (resumed !== undefined) this.resumed = resumed;
    if (originalInput !== undefined) this.originalInput = originalInput;
    if (approval !== undefined)
      this.approved = { shown: approval.shown, edited: approval.edited, ...passedOn(call) };
    const { ref, name } = request;
    this.progress = (text) => {
      const said = vault === undefined ? text : vault.maskText(text);
      progress({ type: 'tool-progress', ref, name, text: said });
    };
    this.askAtOnce = (payload, answerSchema) => questions.ask(payload, answerSchema);
    if (keepCopy !== undefined) this.noteFile = (file) => questions.note(file, keepCopy);
    this.interrupt = (payload, options) => {
      this.#raised ??= new InterruptSignal(payload, options);
      // oxlint-disable-next-line typescript/only-throw-error -- a signal, not an error: nothing went wrong
      throw this.#raised;
    };
  }

  /** The interrupt that the tool raised, even if the tool caught it. */
  get raised(): InterruptSignal | undefined {
    return this.#raised;
  }
}

/**
 * Handles the questions that a running tool asks and the files that it changes. A question is durable before
 * it is asked, and its answer is durable before the tool receives it. The previous state of a file is durable
 * before the tool changes the file.
 */
class LiveQuestions {
  readonly #runnable: RunnableCall;
  readonly #options: ToolRunOptions;
  /** The open question. It is withdrawn when the tool asks another one. */
  #open: string | undefined;
  #isOver = false;

  constructor(runnable: RunnableCall, options: ToolRunOptions) {
    this.#runnable = runnable;
    this.#options = options;
  }

  async ask(
    ...[payload, answerSchema]: Parameters<NonNullable<ToolContext['askAtOnce']>>
  ): ReturnType<NonNullable<ToolContext['askAtOnce']>> {
    if (this.#isOver) throw withdrawn();
    const { call, tool } = this.#runnable;
    const { clock, runId, vault = NOTHING_TYPED, make, keep } = this.#options;
    const interrupt = make({
      kind: 'question',
      source: toolSource(call, this.#runnable, 'tool'),
      payload: vault.mask(payload),
      answerSchema,
      atOnce: true,
      allowed: ['respond', 'cancel'],
      bound: bindingOf(tool, runId),
    });
    const { id, digest } = interrupt;
    this.#open = id;
    await keep({ type: 'interrupt-raised', interrupt });
    const schemas = { interrupt, input: undefined, resumed: undefined };
    return {
      interrupt,
      answered: async (resolution, by) => {
        if (this.#isOver || this.#open !== id) throw withdrawn();
        this.#open = undefined;
        const { answer, secrets } = sealAnswer({ id, digest, resolution, by }, schemas, vault);
        await keep({
          type: 'interrupt-resolved',
          ...{ id, digest, by, resolution: answer.resolution },
          resolvedAt: isoTime(clock.now()),
          ...(secrets.length > 0 && { secrets }),
        });
      },
    };
  }

  /**
   * Records the state of a file before it changes. A file that contains a typed secret is not copied, but an
   * approved change to it can still be made.
   */
  async note({ path, before, after, undoable }: NotedFile, keepCopy: KeepCopy): Promise<boolean> {
    const { vault = NOTHING_TYPED, keep } = this.#options;
    const isSecret = (content: Uint8Array | string): boolean => {
      const text = typeof content === 'string' ? content : Buffer.from(content).toString();
      return vault.maskText(text) !== text;
    };
    const kept = await keptBefore(before, isSecret, keepCopy);
    const digest = digestAfter(after, isSecret);
    if (this.#isOver) throw withdrawn();
    if (undoable === true && (kept.type === 'unkept' || digest === undefined)) return false;
    await keep({
      type: 'file-noted',
      ref: this.#runnable.call.request.ref,
      path: toWellFormed(path),
      before: kept,
      ...(digest !== undefined && { after: digest }),
    });
    return true;
  }

  /** Withdraws the open question of a call that has ended, and prevents further questions. */
  close(): void {
    this.#isOver = true;
  }
}

type KeepCopy = NonNullable<RunOptions['keepCopy']>;

/** Returns the digest of a file's new content; `undefined` if the content may contain a secret. */
function digestAfter(
  after: NotedFile['after'],
  isSecret: (content: Uint8Array | string) => boolean,
): string | null | undefined {
  if (after === undefined || after === null) return after;
  return isSecret(after) ? undefined : sha256(after);
}

/**
 * Copies a file before it changes, if that is allowed and possible. If the copy cannot be stored, the change
 * still happens, and the result states that there is no copy.
 */
export async function keptBefore(
  before: NotedFile['before'],
  isSecret: (content: Uint8Array) => boolean,
  keepCopy: KeepCopy,
): Promise<FileBefore> {
  if (before === 'absent') return { type: 'absent' };
  if (typeof before === 'string') return { type: 'unkept', why: before };
  const { bytes, mode, folders } = before;
  if (isSecret(bytes)) return { type: 'unkept', why: 'secret' };
  const digest = sha256(bytes);
  const isKept = await keepCopy(bytes, digest).catch(() => undefined); // the event says so
  if (isKept !== true) return { type: 'unkept', why: isKept === false ? 'full' : 'failed' };
  return { type: 'copied', sha256: digest, bytes: bytes.length, mode, ...(folders && { folders }) };
}

/**
 * Creates the error for a question that was withdrawn because its call ended or the tool asked another
 * question.
 */
export function withdrawn(): HitlError {
  return new HitlError('ABORTED', 'the question was withdrawn');
}

/**
 * Converts the return value of a tool to the outcome of its call: JSON that matches the declared schema, or
 * an error.
 */
async function outcomeOf(tool: Tool, returned: JsonValue | ToolResult): Promise<ToolOutcome> {
  const result = readResult(tool, returned);
  // The types forbid no output at all; a decorator without a `return` does it (case 80).
  if (result === undefined)
    return failure('invalid-output', `tool \`${tool.name}\` did not return a JSON value`);
  const problem = returnedProblem(result);
  if (problem !== undefined)
    return failure('invalid-output', `the tool returned an invalid result: ${problem}`);
  if (isDeeperThan(result.output, MAX_DEPTH))
    return failure('invalid-output', `the tool's output is more than ${MAX_DEPTH} levels deep`); // G8
  const parsed = await checked(() => tool.parseOutput(result.output));
  if (!parsed.ok)
    return failure(
      'invalid-output',
      `the tool's output does not match its schema: ${parsed.issues.join('; ')}`,
    );
  const { content, metadata } = result;
  return { type: 'output', output: parsed.value, ...(content && { content }), ...(metadata && { metadata }) };
}

/** Reads a return value as JSON; `undefined` if it is not JSON. */
function readResult(tool: Tool, returned: JsonValue | ToolResult): ToolResult | undefined {
  if (isMultipart(tool, returned)) {
    const result = jsonCopy(returned);
    return result !== undefined && Object.hasOwn(result, 'output') ? result : undefined;
  }
  const output = jsonCopy(returned);
  return output === undefined ? undefined : { output };
}

function isMultipart(tool: Tool, returned: JsonValue | ToolResult): returned is ToolResult {
  if (tool.multipart !== true || typeof returned !== 'object' || returned === null) return false;
  return Object.hasOwn(returned, 'output');
}

/**
 * Copies a value from a tool and makes its strings well-formed (G8); `undefined` if it is not JSON, such as a
 * cyclic value or a BigInt.
 */
function jsonCopy<T extends JsonValue | ToolResult>(value: T): T | undefined;
function jsonCopy(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string') return toWellFormed(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null; // JSON has one zero, and no more than numbers
  try {
    return toWellFormedJson(readJson(JSON.stringify(value)));
  } catch {
    return undefined; // the caller says so
  }
}

/** Parses JSON text. Typed as JSON, because the result cannot be anything else. */
function readJson(text: string): JsonValue;
function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}

/** Masks typed secrets in everything that a tool returns, asks or throws, because it is stored. */
function masked(run: ToolRun, vault: SecretVault): ToolRun {
  switch (run.type) {
    case 'abandoned':
      return run;
    case 'interrupted':
      return { ...run, draft: { ...run.draft, payload: vault.mask(run.draft.payload) } };
    case 'settled': {
      const { outcome, error } = run;
      return {
        ...run,
        outcome: maskedOutcome(outcome, vault),
        ...(error !== undefined && { error: maskedError(error, vault) }),
      };
    }
  }
}

function maskedOutcome(outcome: ToolOutcome, vault: SecretVault): ToolOutcome {
  if (outcome.type === 'error') return { ...outcome, message: vault.maskText(outcome.message) };
  const { output, content, metadata } = outcome;
  return {
    type: 'output',
    output: vault.mask(output),
    ...(content !== undefined && { content: vault.maskParts(content) }),
    ...(metadata !== undefined && { metadata: vault.mask(metadata) }),
  };
}

/** Masks secrets in an error. If there were any, the cause is dropped, because it may also contain them. */
function maskedError(error: unknown, vault: SecretVault): unknown {
  const message = messageOf(error);
  const said = vault.maskText(message);
  return said === message ? error : new HitlError('TOOL_FAILED', said);
}
