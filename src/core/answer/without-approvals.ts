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
 * The state without the word of any person that has not been acted on yet: approvals of calls that are not settled, rules
 * of the session, what was allowed beyond a limit, gates that were passed and answers to a body that has not run since, or
 * to code that has begun nothing since. What is open stays open. Nor does it name a server: the person's key and the
 * conversation would go there. A mode that allows more than to ask is gone.
 */
export function withoutApprovals(state: RunState): RunState {
  const { open, graph, agent } = state;
  return {
    ...state,
    ...(agent !== undefined && { agent: withoutWishes(agent) }),
    rules: [],
    votes: undefined,
    extended: NOTHING_EXTENDED,
    wantsCompaction: undefined,
    ...(open !== undefined && { open: { ...open, calls: open.calls.map(unapproved) } }),
    ...(graph !== undefined && { graph: unpassed(graph) }),
  };
}

/** A call that is to run, or to run again, is asked about by the gate in front of its tool; where it was in doubt, so it is again. */
function unapproved(call: Call): Call {
  const { status } = call.state;
  if (status === 'settled') return call;
  const { approval: _approval, resumed: _resumed, secrets, ...rest } = call;
  const asked: Call = secrets?.input === undefined ? rest : { ...rest, secrets: { input: secrets.input } };
  return status === 'ready' && isTriedAgain(call) ? { ...asked, state: inDoubt(call) } : asked;
}

/** True where somebody said that a call that was started is to be started again. */
function isTriedAgain({ attempts, resolved }: Call): boolean {
  return attempts > 0 && resolved?.resolution.action === 'retry';
}

/** The call as it was before somebody said what became of it. */
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

/** The node that is entered and has not begun is asked about again, and so is what its body asked. */
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
 * The state in which approvals that wait for their start count for other code than they were given for. Those that come
 * later are for the code that is there then.
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

/** What named people agreed to is theirs to agree to anew: one person does not keep it for them. */
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

/** An approval that waits for its start, and the code that it is for. */
export interface WaitingApproval {
  readonly code: string;
  /** The call that it lets run; absent where it is about a node or an operation of a workflow. */
  readonly call?: { readonly tool: string; readonly ref: string; readonly input: JsonValue };
}

/** The approvals of a state that wait for their start, and that a person may keep for other code. */
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
  const nodes = [agreed?.before, agreed?.after, ...asks.map(({ answer }) => answer?.terms)].flatMap(
    (terms) => (terms?.code === undefined ? [] : [{ code: terms.code }]),
  );
  return [...calls, ...nodes, ...frames.values().flatMap(waitingApprovals)];
}

/** Takes away what allows more; what the mode denies stays denied. */
function withoutWishes({ server: _server, mode, ...agent }: AgentFingerprint): AgentFingerprint {
  return mode === 'read-only' ? { ...agent, mode } : agent;
}
