import type { Call, Interrupt, RunEnd, RunState, ToolSet } from '../core/index.js';
import { lastCalls, openInterrupts } from '../core/index.js';
import type { ContextRoom, RoomStep } from './limits.js';
import { roomStep } from './limits.js';
import type { Limits, ReachedLimit } from './limits.js';
import { reachedLimit, reachedSpending } from './limits.js';

/** The next step of a run. */
export type Step =
  | { readonly type: 'call-model'; readonly attempt: number }
  | { readonly type: 'run-tools'; readonly calls: readonly Call[] }
  /** The process ended while these calls were running, and a rerun might repeat an effect. */
  | { readonly type: 'raise-in-doubt'; readonly calls: readonly Call[] }
  | { readonly type: 'raise-limit'; readonly reached: ReachedLimit }
  | RoomStep
  | { readonly type: 'await-human'; readonly interrupts: readonly Interrupt[] }
  /** A tool or a stop condition ended the run after its last round. */
  | { readonly type: 'end'; readonly reason: RunEnd }
  | { readonly type: 'done' };

export interface StepContext {
  readonly tools: ToolSet;
  /** Returns the reason to end the run after a tool round; `undefined` if it continues. */
  readonly stopWhen?: ((state: RunState) => string | undefined) | undefined;
  readonly limits: Limits;
  readonly system?: string | undefined;
  /** Number of tokens in the next request, as counted by the provider. */
  readonly counted?: number | undefined;
  /** The context limit. If absent, the context size is not checked. */
  readonly room?: ContextRoom | undefined;
  /** Milliseconds since the run started. */
  readonly elapsedMs: number;
}

/**
 * Returns the next step, which depends only on the journal (law 1). It is therefore the same after an answer,
 * after a crash and on another machine.
 */
export function nextStep(state: RunState, context: StepContext): Step {
  if (state.asks !== undefined) return { type: 'await-human', interrupts: openInterrupts(state) };
  return state.open === undefined
    ? afterMessage(state, context)
    : withOpenCalls(state, state.open.calls, context);
}

function withOpenCalls(state: RunState, calls: readonly Call[], context: StepContext): Step {
  const waiting: Interrupt[] = [];
  const [unasked, answered, inDoubt]: [Call[], Call[], Call[]] = [[], [], []];
  for (const call of calls) {
    if (call.state.status === 'settled') continue;
    if (call.state.status === 'interrupted') waiting.push(call.state.interrupt);
    else (call.resolved === undefined ? unasked : answered).push(call);
    if (isInDoubt(call, context.tools)) inDoubt.push(call);
  }
  if (inDoubt.length > 0) return { type: 'raise-in-doubt', calls: inDoubt };
  const reached = unasked.some(isFresh) ? reachedLimit(state, context.limits, context.elapsedMs) : undefined;
  if (reached !== undefined) return { type: 'raise-limit', reached };
  // Answers are taken one at a time; work starts when the last one is there. Calls that never waited do not wait now.
  const startable = waiting.length > 0 || answered.length === 0 ? unasked : calls.filter(isRunnable);
  // A started call without lasting effect is simply run again (law 8).
  if (startable.length > 0) return { type: 'run-tools', calls: startable };
  return { type: 'await-human', interrupts: waiting };
}

function isRunnable({ state }: Call): boolean {
  return state.status === 'ready' || state.status === 'started';
}

/** Whether a call counts toward the limit because it has never been started or answered. */
export function isFresh({ state, attempts, resolved }: Call): boolean {
  return state.status === 'ready' && attempts === 0 && resolved === undefined;
}

/**
 * Whether a started call is in doubt. This is the case if the tool that was started, or the current one, must
 * not run twice (G10). A tool that determines the effect of each call is asked again when the call is
 * prepared.
 */
function isInDoubt({ request, state }: Call, tools: ToolSet): boolean {
  if (state.status !== 'started') return false;
  const tool = tools.get(request.name);
  return state.effect === 'once' || (tool?.effect === 'once' && tool.effectOf === undefined);
}

function afterMessage(state: RunState, context: StepContext): Step {
  const last = state.entries.at(-1)?.message;
  if (last === undefined || last.role === 'system') return { type: 'done' };
  const { ended } = state;
  // After a failure of the model the next run asks it again; any other end stands until the user speaks.
  if (ended !== undefined && ended.type !== 'failed') return { type: 'done' };
  if (last.role === 'model') return { type: 'done' };
  const reason = endOf(state, context);
  if (reason !== undefined) return { type: 'end', reason };
  const reached = reachedSpending(state, context.limits, context.elapsedMs);
  if (reached !== undefined) return { type: 'raise-limit', reached };
  const full = context.room === undefined ? undefined : roomStep(state, context.room, context);
  if (full !== undefined) return full;
  return { type: 'call-model', attempt: state.modelAttempts + 1 };
}

/**
 * Returns the reason to end a run after the results of its calls; `undefined` if it continues. Notes added to
 * an approval do not change this.
 */
function endOf(state: RunState, { tools, stopWhen }: StepContext): RunEnd | undefined {
  const calls = lastCalls(state);
  if (calls === undefined) return undefined;
  for (const { request, state: end } of calls) {
    const ends =
      end.status === 'settled' && end.outcome.type === 'output' && tools.get(request.name)?.endsRun === true;
    if (ends) return { type: 'finished', by: request.name, output: end.outcome.output };
  }
  const why = stopWhen?.(state);
  return why === undefined ? undefined : { type: 'finished', by: why };
}
