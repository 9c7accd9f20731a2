// `hitl/mcp`: the tools of servers of the Model Context Protocol. The client of the protocol is an optional package, which
// is loaded when a server is connected.
import process from 'node:process';

import type { Actor, JsonValue, Resolution, Tool } from '../core/index.js';
import { HitlError, isMcpServerName } from '../core/index.js';
import type { McpServer, ServerQuestion } from '../tools/mcp/index.js';
import { McpServers } from '../tools/mcp/index.js';
import { systemClock } from './system-clock.js';

/** A server: a command or a URL. */
export type McpServerEntry = McpProgramEntry | McpAddressEntry;

interface McpEntryBase {
  /** Time limit for a call without progress, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/** A server started as a command, on its standard streams. */
export interface McpProgramEntry extends McpEntryBase {
  readonly command: string;
  readonly args?: readonly string[];
  /** Additional variables; nothing else of the environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the working directory. */
  readonly cwd?: string;
}

/** A server at a URL: streamable HTTP. */
export interface McpAddressEntry extends McpEntryBase {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The options of connecting servers. */
export interface ConnectMcpOptions {
  /** Milliseconds to wait for servers; later ones are added when ready. Default: 30 seconds. */
  readonly waitMs?: number;
  /** The root folder that is reported to servers. Default: none. */
  readonly root?: string;
  /** Called with lines about a server, which contain foreign text. Default: none. */
  readonly notice?: (server: string, line: string) => void;
  /**
   * Asks a person a question of a server with an older protocol, during a call; `undefined` if they decline. Default:
   * nobody is asked. With protocol 2026-07-28, questions are interrupts of the call.
   */
  readonly ask?: (
    question: ServerQuestion,
    tool: string,
    signal: AbortSignal,
  ) => Promise<JsonValue | undefined>;
}

/** Connected servers. Dispose of them to end the programs. */
export interface McpTools extends AsyncDisposable {
  /** The current tools, named `server__tool`; each call is confirmed. */
  readonly tools: readonly Tool[];
}

export type { ServerQuestion };

/**
 * Connects MCP servers under your names: `connectMcp({ files: { command: 'npx', args: […] } })`. Unreachable ones
 * offer no tools and are reported to `notice`.
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

/** A program's claims about its user are unverified. */
const CALLER: Actor = { type: 'person', name: 'caller', via: 'library' };
const DECLINED: Resolution = { action: 'cancel' };

function serverOf([name, entry]: readonly [string, McpServerEntry]): McpServer {
  if (!isMcpServerName(name))
    throw new HitlError('BAD_CONFIG', `invalid server name \`${name}\``, {
      hint: 'a name is 1 to 32 letters, digits, `-` or single `_`',
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
