import type { AgentFingerprint, ToolDescriptor } from '../question/agent.js';
import { describeTool, toolDigest } from '../question/agent.js';
import type { SessionEvent } from './event.js';
import { servedDifferences, servedTool } from '../question/served-tool.js';
import type { RunState } from './state.js';

/** Maximum number of lines shown for changes to a tool list. */
const MOST_LINES = 20;

/**
 * Returns an event that records changes made by servers to their tool lists during a run; empty if there are
 * none. Tools of a server that connected late are not reported.
 */
export function servedChanges(
  agent: AgentFingerprint | undefined,
  now: readonly ToolDescriptor[],
): readonly SessionEvent[] {
  if (agent === undefined) return [];
  const served = now.filter(({ mcp }) => mcp !== undefined);
  const known = new Map(
    agent.tools.flatMap((tool) => (tool.mcp === undefined ? [] : [[tool.name, tool] as const])),
  );
  const met = new Set([...known.values()].map(({ mcp }) => mcp?.server));
  const left = new Set(known.keys());
  const lines: string[] = [];
  let isOther = false;
  for (const tool of served) {
    const before = known.get(tool.name);
    left.delete(tool.name);
    if (before !== undefined && toolDigest(before) === toolDigest(tool)) continue;
    isOther = true;
    if (met.has(tool.mcp?.server)) lines.push(...changeOf(tool, before));
  }
  for (const name of left) lines.push(`${name}: its server no longer offers it`);
  if (!isOther && left.size === 0) return [];
  const tools = [...agent.tools.filter(({ mcp }) => mcp === undefined), ...served.map(describeTool)];
  const more = lines.length - MOST_LINES;
  const changed = [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])];
  return [{ type: 'agent-changed', agent: { ...agent, tools }, changed }];
}

function changeOf(tool: ToolDescriptor, before: ToolDescriptor | undefined): readonly string[] {
  const [now, was] = [servedTool(tool), before && servedTool(before)];
  if (now === undefined) return [];
  if (was === undefined) return [`${tool.name}: its server now offers it`];
  return servedDifferences(was, now).map((line) => `${tool.name}: ${line}`);
}

/**
 * Returns the event that records that a different agent continues the session; empty if the agent is
 * unchanged.
 */
export function agentChange({ agent: saved }: RunState, agent: AgentFingerprint): readonly SessionEvent[] {
  const isSame = saved !== undefined && JSON.stringify(saved) === JSON.stringify(agent);
  return isSame ? [] : [{ type: 'agent-changed', agent }];
}
