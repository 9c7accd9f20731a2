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
 * Removes every unused decision from a state: approvals of unsettled calls, session rules, extended limits,
 * passed gates, and answers to tools or code that have not run since. Open questions stay open. Also removes
 * the server, which would receive the user's key and conversation, and a mode that allows more than asking.
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

/** A call that would run or run again needs a new approval; a call that was in doubt is in doubt again. */
function unapproved(call: Call): Call {
  const { status } = call.state;
  if (status === 'settled') return call;
  const { approval: _approval, resumed: _resumed, notes: _notes, secrets, ...rest } = call;
  const asked: Call = secrets?.input === undefined ? rest : { ...rest, secrets: { input: secrets.input } };
  return status === 'ready' && isTriedAgain(call) ? { ...asked, state: inDoubt(call) } : asked;
}

/** Whether someone decided to start a started call again. */
function isTriedAgain({ attempts, resolved }: Call): boolean {
  return attempts > 0 && resolved?.resolution.action === 'retry';
}

/** Restores a call's in-doubt state from before its decision. */
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

/** Asks again about an entered node that has not started, and what its tool asked. */
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

/** Lets pending approvals apply to changed code. Later approvals are for the code at their time. */
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

/** One person cannot keep an approval that required several approvers. */
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

/** An approval that waits for its start, and its code. */
export interface WaitingApproval {
  readonly code: string;
  /** The approved call; absent for a node or operation of a workflow. */
  readonly call?: { readonly tool: string; readonly ref: string; readonly input: JsonValue };
}

/** The approvals of a state that wait for their start and that a person may keep for other code. */
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

/** Removes permissions; denials of the mode stay. */
function withoutWishes({
  server: _server,
  reviewer: _reviewer,
  mode,
  ...agent
}: AgentFingerprint): AgentFingerprint {
  return mode === 'read-only' ? { ...agent, mode } : agent;
}
