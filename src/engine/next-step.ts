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
  /** These were running when the process ended, and a second run might repeat an effect. */
  | { readonly type: 'raise-in-doubt'; readonly calls: readonly Call[] }
  | { readonly type: 'raise-limit'; readonly reached: ReachedLimit }
  | RoomStep
  | { readonly type: 'await-human'; readonly interrupts: readonly Interrupt[] }
  /** The last round ended the run: by a final tool, or a stop condition. */
  | { readonly type: 'end'; readonly reason: RunEnd }
  | { readonly type: 'done' };

export interface StepContext {
  readonly tools: ToolSet;
  /** Ends the run after a tool round if it returns a reason. */
  readonly stopWhen?: ((state: RunState) => string | undefined) | undefined;
  readonly limits: Limits;
  readonly system?: string | undefined;
  /** The provider's token count of the next request. */
  readonly counted?: number | undefined;
  /** Absent: context size is not checked. */
  readonly room?: ContextRoom | undefined;
  /** Milliseconds since the run started. */
  readonly elapsedMs: number;
}

/**
 * Returns the next step from the folded journal alone (law 1), the same after an answer, after a crash and on another
 * machine.
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

/** Whether a call was neither started nor answered before: it counts towards the round limit. */
export function isFresh({ state, attempts, resolved }: Call): boolean {
  return state.status === 'ready' && attempts === 0 && resolved === undefined;
}

/**
 * Both the started tool and the current one must allow a second run (G10). One that tells the effect of each call is
 * asked again when the call is prepared.
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

/** The end that the results of calls make of a run; words that came with an approval do not take it back. */
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
