// `hitl/mcp`: the tools of servers of the Model Context Protocol. The client of the protocol is an optional package, which
// is loaded when a server is connected.
import process from 'node:process';

import type { Actor, JsonValue, Resolution, Tool } from '../core/index.js';
import { HitlError, isMcpServerName } from '../core/index.js';
import type { McpServer, ServerQuestion } from '../tools/mcp/index.js';
import { McpServers } from '../tools/mcp/index.js';
import { systemClock } from './system-clock.js';

/** A server: a program that is started, or an address. */
export type McpServerEntry = McpProgramEntry | McpAddressEntry;

interface McpEntryBase {
  /** The time that a call may take without a sign of progress, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/** A server that is a program, which is spoken to by its standard streams. */
export interface McpProgramEntry extends McpEntryBase {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables beside those that every program needs; nothing else of the environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the working directory. */
  readonly cwd?: string;
}

/** A server at an address: streamable HTTP. */
export interface McpAddressEntry extends McpEntryBase {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The settings with which servers are connected. */
export interface ConnectMcpOptions {
  /** The time to wait for servers, in milliseconds. What comes later is offered later. Default: 30 seconds. */
  readonly waitMs?: number;
  /** The folder that servers are told of. Default: none. */
  readonly root?: string;
  /** Hears what becomes of a server, a line each; text of others is in it. Default: nobody. */
  readonly notice?: (server: string, line: string) => void;
  /**
   * Asks a person what a server of an older protocol wants to know in the middle of a call; `undefined` where they
   * decline. Default: nobody is there. What a server of 2026-07-28 wants is a question of the call.
   */
  readonly ask?: (
    question: ServerQuestion,
    tool: string,
    signal: AbortSignal,
  ) => Promise<JsonValue | undefined>;
}

/** Servers that are connected. Dispose of them to end the programs. */
export interface McpTools extends AsyncDisposable {
  /** The tools as they are now, named `server__tool`; each call of one is asked about. */
  readonly tools: readonly Tool[];
}

export type { ServerQuestion };

/**
 * Connects servers by the names that you give them: `connectMcp({ files: { command: 'npx', args: […] } })`. One that
 * cannot be reached offers no tools, and is told to `notice`.
 * @throws HitlError BAD_CONFIG for a name that is none.
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

/** What a program says for a person is its own word. */
const CALLER: Actor = { type: 'person', name: 'caller', via: 'library' };
const DECLINED: Resolution = { action: 'cancel' };

function serverOf([name, entry]: readonly [string, McpServerEntry]): McpServer {
  if (!isMcpServerName(name))
    throw new HitlError('BAD_CONFIG', `\`${name}\` cannot name a server`, {
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
