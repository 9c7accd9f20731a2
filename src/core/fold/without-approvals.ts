import type { AgentFingerprint } from '../agent/index.js';
import type { Call } from '../call/index.js';
import type { GraphFrame, RunState } from '../state.js';
import { PersistentMap } from '../graph/index.js';

/**
 * The state without the word of any person that has not been acted on yet: approvals of calls that did not start, rules
 * of the session, gates that were passed and answers to a body that has not run since, or to code that has begun nothing
 * since. What is open stays open. Nor does it name a server: the person's key and the conversation would go there. A mode that allows more than to ask is gone.
 */
export function withoutApprovals(state: RunState): RunState {
  const { open, graph, agent } = state;
  return {
    ...state,
    ...(agent !== undefined && { agent: withoutWishes(agent) }),
    rules: [],
    votes: undefined,
    ...(open !== undefined && { open: { ...open, calls: open.calls.map(unapproved) } }),
    ...(graph !== undefined && { graph: unpassed(graph) }),
  };
}

function unapproved(call: Call): Call {
  const { approval, resumed: _resumed, secrets, ...rest } = call;
  if (call.state.status !== 'ready' || approval === undefined) return call;
  return secrets?.input === undefined ? rest : { ...rest, secrets: { input: secrets.input } };
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

/** Takes away what allows more; what the mode denies stays denied. */
function withoutWishes({ server: _server, mode, ...agent }: AgentFingerprint): AgentFingerprint {
  return mode === 'read-only' ? { ...agent, mode } : agent;
}
