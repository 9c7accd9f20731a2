import type {
  AnswerWay,
  Clock,
  InterruptDraft,
  InterruptKind,
  InterruptSignal,
  Tool,
  ToolContext,
  ToolErrorCode,
  ToolOutcome,
} from '../core/index.js';
import {
  allowedActions,
  interruptIn,
  isOutcomeUnknown,
  isSuspension,
  messageOf,
  narrowed,
} from '../core/index.js';
import { bindingOf } from './binding.js';
import type { RunnableCall } from './prepare-call.js';
import { CallContext } from './call-context.js';
import type { RoundScene } from './call-scene.js';
import { toolOutcome } from './tool-outcome.js';
import { TimeLimitError, watchBody } from './time-limit.js';
import type { Stop } from './stop.js';

/**
 * The end of one run of a tool's body. `abandoned`: it was told to stop and did not, it cannot tell itself, or the
 * run was suspended, and nobody knows what it did; `error` is what it threw.
 */
export type ToolRun =
  | { readonly type: 'settled'; readonly outcome: ToolOutcome; readonly error?: unknown }
  | { readonly type: 'interrupted'; readonly draft: InterruptDraft }
  | { readonly type: 'abandoned' };

export interface ToolRunOptions {
  readonly clock: Clock;
  readonly idempotencyKey: string;
  /** The session, or the conversation: its approvals hold for no other. */
  readonly runId: string;
  readonly progress: (text: string) => void;
  readonly askAtOnce: NonNullable<ToolContext['askAtOnce']>;
  readonly scene: RoundScene;
}

/** The answer to a call that a stop came before (G14, G21). */
export const NOT_STARTED = failure('not-run', 'stopped by the user before it started; it did not run');

function failure(code: ToolErrorCode, message: string): ToolOutcome {
  return { type: 'error', code, message };
}

/**
 * Runs the body of one call: its context, its time limit, and everything in which it can end. Never throws.
 * A body is not entered once the stop has come.
 */
export function runTool(runnable: RunnableCall, options: ToolRunOptions, around: Stop): Promise<ToolRun> {
  if (isSuspension(around.reason)) return Promise.resolve({ type: 'abandoned' });
  if (around.aborted) return Promise.resolve({ type: 'settled', outcome: NOT_STARTED });
  return new Promise((resolve) => {
    const { tool } = runnable;
    const onOverdue = (): void => {
      end(abandoned(tool, watch.stop));
    };
    const watch = watchBody({ timeoutMs: tool.timeoutMs, clock: options.clock, onOverdue }, around);
    const end = (run: ToolRun): void => {
      watch.end();
      resolve(run);
    };
    void runBody(runnable, options, watch.stop).then(end);
  });
}

/** A tool without lasting effects is given up; for the rest somebody has to find out what it did (G10). */
function abandoned(tool: Tool, stop: Stop): ToolRun {
  if (tool.effect === 'once' || isSuspension(stop.reason)) return { type: 'abandoned' };
  const { code, message } = reasonOf(stop);
  return { type: 'settled', outcome: failure(code, `${message}, and did not stop when it was told to`) };
}

async function runBody(runnable: RunnableCall, options: ToolRunOptions, stop: Stop): Promise<ToolRun> {
  const { tool, input, given } = runnable;
  const context = new CallContext(runnable, options, stop);
  try {
    const result = await tool.execute(given === undefined ? input : given.input, context);
    const { raised } = context;
    // A `try/catch` in the body swallowed the signal: the person is asked all the same.
    if (raised !== undefined) return { type: 'interrupted', draft: draftOf(runnable, options, raised) };
    return { type: 'settled', outcome: await toolOutcome(tool, result) };
  } catch (thrown) {
    const interrupt = context.raised ?? interruptIn(thrown);
    if (interrupt !== undefined) return { type: 'interrupted', draft: draftOf(runnable, options, interrupt) };
    if (isSuspension(stop.reason)) return { type: 'abandoned' };
    if (tool.effect === 'once' && isOutcomeUnknown(thrown)) return { type: 'abandoned' };
    return { type: 'settled', outcome: failureOf(tool, thrown, stop), error: thrown };
  }
}

function draftOf(
  { tool, call, input, title }: RunnableCall,
  { runId }: ToolRunOptions,
  { payload, options, deadline }: InterruptSignal,
): InterruptDraft {
  const kind = options.kind ?? (tool.restartable ? 'confirmation' : 'question');
  const answerSchema = options.answerSchema ?? tool.outputSchema;
  const { ref, name } = call.request;
  const titled = title !== undefined && { title };
  const source = { type: 'tool', ref, name, input, raisedBy: 'tool', ...titled } as const;
  return {
    kind,
    source,
    payload,
    ...waysAllowed(tool, kind, options.allowed),
    ...(answerSchema !== undefined && { answerSchema }),
    ...(kind === 'question' && options.kept !== undefined && { kept: options.kept }),
    bound: bindingOf(tool, runId),
    ...deadline,
  };
}

/** The ways that the body offers; a tool that only asks has no body that could run (case 61). */
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

function failureOf(tool: Tool, thrown: unknown, stop: Stop): ToolOutcome {
  if (!stop.aborted) return failure('failed', messageOf(thrown));
  const { code, message } = reasonOf(stop);
  const doubt = tool.effect === 'once' ? '; what it did until then is unknown' : '';
  return failure(code, `${message}${doubt}`);
}

/** Says why a body was told to stop: its time was up, or the run was stopped. */
function reasonOf({ reason }: Stop): { code: ToolErrorCode; message: string } {
  return reason instanceof TimeLimitError
    ? { code: 'timeout', message: `stopped: ${reason.message}` }
    : { code: 'aborted', message: 'stopped by the user while it ran' };
}
