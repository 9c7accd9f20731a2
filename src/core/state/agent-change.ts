import type { SessionEvent } from './event.js';
import type { RunState } from './state.js';
import type { AgentFingerprint } from '../question/agent.js';

/** Returns the first event of a session that continues with another agent; none if it is unchanged. */
export function agentChange({ agent: saved }: RunState, agent: AgentFingerprint): readonly SessionEvent[] {
  const isSame = saved !== undefined && JSON.stringify(saved) === JSON.stringify(agent);
  return isSame ? [] : [{ type: 'agent-changed', agent }];
}
