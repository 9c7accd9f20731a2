// `hitl/mcp`: the tools of servers of the Model Context Protocol. The client of the protocol is an optional package, which
// is loaded when a server is connected.
import process from 'node:process';

import type { Actor, JsonValue, Resolution, Tool } from '../core/index.js';
import { HitlError, isMcpServerName } from '../core/index.js';
import type { McpServer, ServerQuestion } from '../tools/mcp/index.js';
import { McpServers } from '../tools/mcp/index.js';
import { systemClock } from './system-clock.js';

/** An MCP server, specified by a command or a URL. */
export type McpServerEntry = McpProgramEntry | McpAddressEntry;

interface McpEntryBase {
  /** Time limit for a call without progress, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/** A server that is started with a command and uses its standard input and output. */
export interface McpProgramEntry extends McpEntryBase {
  readonly command: string;
  readonly args?: readonly string[];
  /** Environment variables to add for the server. It does not inherit any others. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder in which to start the command. Default: the working directory. */
  readonly cwd?: string;
}

/** A server at a URL that uses streamable HTTP. */
export interface McpAddressEntry extends McpEntryBase {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options for connecting to MCP servers. */
export interface ConnectMcpOptions {
  /**
   * Milliseconds to wait for servers. Slower servers are added as soon as they are ready. Default: 30
   * seconds.
   */
  readonly waitMs?: number;
  /** Root folder to report to the servers. Default: none. */
  readonly root?: string;
  /** Called with messages about a server. They contain untrusted text. Default: they are ignored. */
  readonly notice?: (server: string, line: string) => void;
  /**
   * Asks a person a question that a server with an older protocol sends during a call. Return `undefined` if
   * the person declines. Default: no one is asked. With protocol 2026-07-28, such questions are interrupts of
   * the call instead.
   */
  readonly ask?: (
    question: ServerQuestion,
    tool: string,
    signal: AbortSignal,
  ) => Promise<JsonValue | undefined>;
}

/** Connected MCP servers. Dispose of this object to stop the servers that were started. */
export interface McpTools extends AsyncDisposable {
  /** The tools that are currently available, named `server__tool`. Each call needs confirmation. */
  readonly tools: readonly Tool[];
}

export type { ServerQuestion };

/**
 * Connects to MCP servers, each with the given name: `connectMcp({ files: { command: 'npx', args: […] } })`.
 * Unreachable servers are reported to `notice` and do not provide tools.
 * @throws HitlError BAD_CONFIG for an invalid name.
 */
export async function connectMcp(
  servers: Readonly<Record<string, McpServerEntry>>,
  { waitMs = 30_000, root, notice = () => undefined, ask }: ConnectMcpOptions = {},
): Promise<McpTools> {
  const running = new McpServers(Object.entries(servers).map(serverOf), {
    version: 'library',
    clock: systemClock,
    ...(root !== undefined && { root }),
    ...(ask !== undefined && {
      ask: async ({ question, asker, keep }, signal) => {
        await keep?.();
        const answer = await ask(question, asker, signal);
        const resolution = answer === undefined ? DECLINED : ({ action: 'respond', output: answer } as const);
        return { resolution, by: CALLER };
      },
    }),
    notice: ({ name }, line) => {
      notice(name, line);
    },
    logged: () => undefined,
  });
  await running.settled(waitMs);
  return running;
}

/** Actor for the calling program. Its claims about its user cannot be verified. */
const CALLER: Actor = { type: 'person', name: 'caller', via: 'library' };
const DECLINED: Resolution = { action: 'cancel' };

function serverOf([name, entry]: readonly [string, McpServerEntry]): McpServer {
  if (!isMcpServerName(name))
    throw new HitlError('BAD_CONFIG', `invalid server name \`${name}\``, {
      hint: 'a name has 1 to 32 letters, digits, `-` or single `_`',
    });
  const base = {
    name,
    from: 'connectMcp',
    ...(entry.timeoutMs !== undefined && { timeoutMs: entry.timeoutMs }),
  };
  if ('url' in entry) return { ...base, type: 'http', url: entry.url, headers: entry.headers ?? {} };
  const { command, args = [], env = {}, cwd = process.cwd() } = entry;
  return { ...base, type: 'stdio', command, args, env, cwd };
}
