import { count, escapeText, joined, shown } from '../../../src/core/index.js';
import { reachedBy } from '../../../src/tools/mcp/index.js';
import type { SlashHandler } from '../context.js';

/** `/mcp`: the servers of the session, and how each is. */
export const mcp: SlashHandler = (_argument, { servers: { servers } }, print) => {
  const lines = servers.connections.map((connection) => {
    const { server } = connection;
    const state = servers.stateOf(connection);
    const tools = servers.tools.filter((tool) => tool.mcp?.server === server.name).length;
    const { prompts, resources } = connection.texts;
    const has = [
      count(tools, 'tool'),
      ...(prompts.length === 0 ? [] : [count(prompts.length, 'prompt')]),
      ...(resources.length === 0 ? [] : [count(resources.length, 'resource')]),
    ];
    const how = state.type === 'ready' ? shown`ready, ${joined(has, ', ')}` : escapeText(state.type);
    const why = state.type === 'failed' ? shown`\n  ${escapeText(state.why)}` : shown``;
    return shown`${escapeText(server.name)}  ${how}  ${escapeText(reachedBy(server))}${why}`;
  });
  print(lines.length === 0 ? shown`no servers; \`hitl mcp add\` names one, or \`--mcp\`` : joined(lines));
};
