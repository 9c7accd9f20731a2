import type { AgentFingerprint } from '../question/agent.js';
import type { Call, CallState } from '../state/call.js';
import type { KeptCode } from '../state/event.js';
import type { JsonValue } from '../data/json.js';
import { isJsonObject } from '../data/json.js';
import type { Terms } from '../question/terms.js';
import type { Activation, GraphFrame, RunState } from '../state/state.js';
import { NOTHING_EXTENDED } from '../state/state.js';
import { PersistentMap } from '../state/persistent-map.js';

/**
 * Removes all decisions that have not been used yet: approvals of unsettled calls, session rules, extended
 * limits, passed gates, and answers to tools or code that have not run since. Open questions stay open. Also
 * removes the configured server, which would receive the user's key and conversation, and any mode that runs
 * calls without asking.
 */
export function withoutApprovals(state: RunState): RunState {
  const { open, graph, agent } = state;
  return {
    ...state,
    ...(agent !== undefined && { agent: withoutWishes(agent) }),
    rules: [],
    votes: undefined,
    reviews: undefined,
    extended: NOTHING_EXTENDED,
    wantsCompaction: undefined,
    ...(open !== undefined && { open: { ...open, calls: open.calls.map(unapproved) } }),
    ...(graph !== undefined && { graph: unpassed(graph) }),
  };
}

/**
 * Resets a call that would run or rerun, so that it needs a new approval. If the call was in doubt before it
 * was decided, it is in doubt again.
 */
function unapproved(call: Call): Call {
  const { status } = call.state;
  if (status === 'settled') return call;
  const { approval: _approval, resumed: _resumed, notes: _notes, secrets, ...rest } = call;
  const asked: Call = secrets?.input === undefined ? rest : { ...rest, secrets: { input: secrets.input } };
  return status === 'ready' && isTriedAgain(call) ? { ...asked, state: inDoubt(call) } : asked;
}

/** Whether someone decided to rerun a call that had started. */
function isTriedAgain({ attempts, resolved }: Call): boolean {
  return attempts > 0 && resolved?.resolution.action === 'retry';
}

/** Restores the in-doubt state that a call had before the decision about it. */
function inDoubt({ input, resolved }: Call): CallState {
  const payload = resolved?.interrupt.payload;
  const startedAt = isJsonObject(payload) ? payload['startedAt'] : undefined;
  return {
    status: 'started',
    input,
    effect: 'once',
    startedAt: typeof startedAt === 'string' ? startedAt : '',
  };
}

/**
 * Resets a node that was entered but not started, and questions from tools inside the node, so that they are
 * asked again.
 */
function unpassed(graph: GraphFrame): GraphFrame {
  const { current } = graph;
  if (current === undefined) return graph;
  const frames = PersistentMap.of(
    current.frames.entries().map(([branch, inner]) => [branch, withoutApprovals(inner)] as const),
  );
  const begins = current.status === 'entered' && current.attempts === 0;
  const { size } = current.operations;
  const asks = current.asks.filter(
    ({ answer, begun }) => answer === undefined || (begun !== undefined && begun < size),
  );
  return graph.with({
    current: {
      ...current,
      frames,
      asks,
      ...(begins && { phase: 'before' as const, passed: [] }),
    },
  });
}

/**
 * Makes pending approvals apply to changed code. Later approvals apply to the code as it is when they are
 * given.
 */
export function keepApprovals(state: RunState, kept: readonly KeptCode[]): RunState {
  const moved = <Yes extends Terms>(yes: Yes): Yes => {
    const now = kept.find(({ was }) => was === yes.code)?.now;
    return now === undefined ? yes : { ...yes, code: now };
  };
  const { open, graph } = state;
  return {
    ...state,
    ...(open !== undefined && { open: { ...open, calls: open.calls.map((call) => movedCall(call, moved)) } }),
    ...(graph?.current && { graph: graph.with({ current: movedNode(graph.current, moved, kept) }) }),
  };
}

type Move = <Yes extends Terms>(yes: Yes) => Yes;

function movedCall(call: Call, moved: Move): Call {
  const { approval, retried, state } = call;
  if (state.status === 'settled' || isOfPeople(call)) return call;
  return {
    ...call,
    ...(approval !== undefined && { approval: moved(approval) }),
    ...(retried !== undefined && { retried: moved(retried) }),
  };
}

/** Whether a call was approved by required approvers. One person alone cannot keep such an approval. */
function isOfPeople({ resolved }: Call): boolean {
  return resolved?.interrupt.approvers !== undefined;
}

function movedNode(current: Activation, moved: Move, kept: readonly KeptCode[]): Activation {
  const { agreed, asks, frames } = current;
  return {
    ...current,
    ...(agreed !== undefined && {
      agreed: {
        ...(agreed.before !== undefined && { before: moved(agreed.before) }),
        ...(agreed.after !== undefined && { after: moved(agreed.after) }),
      },
    }),
    asks: asks.map((ask) =>
      ask.answer?.terms === undefined
        ? ask
        : { ...ask, answer: { ...ask.answer, terms: moved(ask.answer.terms) } },
    ),
    frames: PersistentMap.of(
      frames.entries().map(([branch, inner]) => [branch, keepApprovals(inner, kept)] as const),
    ),
  };
}

/** An approval that has not been used yet, and the code that it applies to. */
export interface WaitingApproval {
  readonly code: string;
  /** The approved call; absent for a workflow node or operation. */
  readonly call?: { readonly tool: string; readonly ref: string; readonly input: JsonValue };
}

/** Returns a state's unused approvals that a person may keep for changed code. */
export function waitingApprovals(state: RunState): readonly WaitingApproval[] {
  const { open, graph } = state;
  const calls = (open?.calls ?? []).flatMap((call) => {
    const { state, approval, retried, request, input } = call;
    const { status } = state;
    const code = approval?.code ?? retried?.code;
    return code === undefined || status === 'settled' || status === 'interrupted' || isOfPeople(call)
      ? []
      : [{ code, call: { tool: request.name, ref: request.ref, input } }];
  });
  const current = graph?.current;
  if (current === undefined) return calls;
  const { agreed, asks, frames } = current;
  const nodes = [agreed?.before, agreed?.after, ...asks.map(({ answer }) => answer?.terms)].flatMap((terms) =>
    terms?.code === undefined ? [] : [{ code: terms.code }],
  );
  return [...calls, ...nodes, ...frames.values().flatMap(waitingApprovals)];
}

/**
 * Removes an agent's server, reviewer and mode, except the mode `read-only`, which only restricts the agent.
 */
function withoutWishes({
  server: _server,
  reviewer: _reviewer,
  mode,
  ...agent
}: AgentFingerprint): AgentFingerprint {
  return mode === 'read-only' ? { ...agent, mode } : agent;
}
