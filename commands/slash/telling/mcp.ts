import { count, escapeText } from '../../../src/core/index.js';
import { reachedBy } from '../../../src/tools/mcp/index.js';
import type { SlashHandler } from '../context.js';

/** `/mcp`: the servers of the session, and how each is. */
export const mcp: SlashHandler = (_argument, { servers: { servers } }, print) => {
  const lines = servers.connections.map((connection) => {
    const { server } = connection;
    const state = servers.stateOf(connection);
    const tools = servers.tools.filter((tool) => tool.mcp?.server === server.name).length;
    const how = state.type === 'ready' ? `ready, ${count(tools, 'tool')}` : state.type;
    const why = state.type === 'failed' ? `\n  ${escapeText(state.why)}` : '';
    return `${escapeText(server.name)}  ${how}  ${escapeText(reachedBy(server))}${why}`;
  });
  print(lines.length === 0 ? 'no servers; `hitl mcp add` names one, or `--mcp`' : lines.join('\n'));
  return Promise.resolve(undefined);
};
