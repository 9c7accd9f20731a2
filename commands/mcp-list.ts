import { escapeText, mcpHints, shown } from '../src/core/index.js';
import { formatTable } from '../src/render/index.js';
import type { McpServer } from '../src/tools/mcp/index.js';
import { reachedBy } from '../src/tools/mcp/index.js';
import { rulesHere } from './agent/rules-in-force.js';
import { effectiveFlags } from './config/effective.js';
import type { PreviewFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import type { Io } from './host/index.js';
import { printJson, tell } from './host/index.js';
import { configuredServers } from './mcp/configured-servers.js';
import { startServers } from './mcp/start-servers.js';
import { ruleOfTool, toolTable } from './report/tool-table.js';
import { stdoutTable } from './screen/theme.js';

/**
 * `hitl mcp list`: lists the servers that a chat would start and where each is configured. Starts nothing.
 */
export async function listServers(io: Io, given: PreviewFlags): Promise<number> {
  const { config, files } = await effectiveFlags(io, given);
  const { servers, problems } = configuredServers(io, config);
  const left = files.servers?.trusted === false ? files.servers : undefined;
  if (given.json === true) {
    const known = [...servers.values()].map(documentOf);
    printJson(io, { servers: known, problems, ...(left !== undefined && { untrusted: left.path }) });
    return 0;
  }
  const untrusted = Object.keys(left?.servers ?? {});
  if (servers.size === 0 && untrusted.length === 0 && given.quiet !== true)
    tell(io.stderr, shown`No MCP servers\nhint: hitl mcp add <name> <command or URL>`);
  const rows = [
    ...[...servers.values()].map((server) => ({ ...server, reached: reachedBy(server) })),
    ...untrusted.map((name) => ({ name, from: `${left?.path ?? ''} (not trusted)`, reached: '-' })),
  ];
  io.stdout.write(
    formatTable(
      rows,
      [
        { title: 'NAME', text: ({ name }) => name },
        { title: 'SERVER', text: ({ reached }) => reached, narrows: 'wrap' },
        { title: 'CONFIGURED IN', text: ({ from }) => from, narrows: 'wrap' },
      ],
      stdoutTable(io, given.color),
    ),
  );
  for (const problem of problems) tell(io.stderr, shown`warning: ${escapeText(problem)}`);
  return 0;
}

function documentOf(server: McpServer): object {
  return { name: server.name, type: server.type, reached: reachedBy(server), from: server.from };
}

/**
 * `hitl mcp test`: starts servers and lists their tools, with the annotations and the matching rule of each.
 */
export async function testServers(io: Io, named: readonly string[], given: PreviewFlags): Promise<number> {
  const mode = modeOf(io, given);
  const effective = await effectiveFlags(io, { ...given, ...(named.length > 0 && { mcp: named }) }, mode);
  const { all: rules } = await rulesHere(io, effective);
  const began = io.clock.now();
  await using running = await startServers(io, given, mode, { flag: named, config: effective.config });
  await running.settled();
  const took = io.clock.now() - began;
  const { servers } = running;
  const found = servers.connections.map((connection) => {
    const { server } = connection;
    const tools = servers.tools.filter(({ mcp }) => mcp?.server === server.name);
    return { server, tools, state: servers.stateOf(connection) };
  });
  const failed = running.leftOut.length > 0 || found.some(({ state }) => state.type !== 'ready');
  for (const line of running.leftOut) tell(io.stderr, shown`warning: ${escapeText(line)}`);
  if (given.json === true) {
    printJson(
      io,
      found.map(({ server, state, tools }) => ({
        ...documentOf(server),
        status: state.type,
        ...(state.type === 'failed' && { why: state.why }),
        tools: tools.map((tool) => ({
          name: tool.name,
          claims: tool.mcp === undefined ? [] : mcpHints(tool.mcp),
          rule: ruleOfTool(tool, rules),
        })),
      })),
    );
    return failed ? 1 : 0;
  }
  if (found.length === 0 && given.quiet !== true) tell(io.stderr, shown`no MCP servers configured`);
  for (const { server, state, tools } of found) {
    const said = state.type === 'failed' ? state.why : `${state.type}, ${tools.length} tools, ${took} ms`;
    tell(io.stdout, escapeText(`${server.name}: ${said}`));
    io.stdout.write(toolTable(tools, rules, stdoutTable(io, given.color)));
  }
  return failed ? 1 : 0;
}
