import type { SessionEvent } from './event.js';
import type { RunState } from './state.js';
import type { AgentFingerprint } from '../question/agent.js';

/** The event that a session begins with where another agent goes on in it; none where it is the same one. */
export function agentChange({ agent: saved }: RunState, agent: AgentFingerprint): readonly SessionEvent[] {
  const isSame = saved !== undefined && JSON.stringify(saved) === JSON.stringify(agent);
  return isSame ? [] : [{ type: 'agent-changed', agent }];
}
