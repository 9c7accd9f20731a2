import { CLEAR_HINT, clearProblem, HitlError, sendingTo } from '../../../core/index.js';
import type { FileContent } from '../../../files/index.js';
import type { ProgramKind, Unseen, WorkPlace } from '../../../programs/index.js';

/** An MCP server, with how to start or reach it. */
export type McpServer = McpProgram | McpAddress;

interface McpBase {
  /** `^[a-zA-Z0-9_-]{1,32}$`; prefix of its tools' names. */
  readonly name: string;
  /** Where it is configured: `.mcp.json`, `your configuration`, `--mcp`. */
  readonly from: string;
  /** Time limit for a call without progress, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/** A server program on its standard streams. */
export interface McpProgram extends McpBase {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Additional variables; nothing else of the environment is passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** Its folder. Default: a neutral one for its kind. */
  readonly cwd?: string;
  /** Rules for starting it. Default: those of a server from the library. */
  readonly kind?: Extract<ProgramKind, 'mcp-server' | 'project-server' | 'library-server'>;
  /** The session's folder, which determines what is neutral. */
  readonly place?: WorkPlace;
  /** Files in its command, with their approved content: with any other, it is not started. */
  readonly files?: readonly FileContent[];
  /** Files that it loads from an unreviewed folder. */
  readonly unseen?: Unseen;
}

/** A server at a URL: streamable HTTP. */
export interface McpAddress extends McpBase {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Private addresses and ranges that it and its login may use. Default: those in its own name. */
  readonly allow?: readonly string[];
}

/** Describes how a server is reached, in one line without its secrets. */
export function reachedBy(server: McpServer): string {
  switch (server.type) {
    case 'stdio':
      return [server.command, ...server.args].join(' ');
    case 'http': {
      const { origin, pathname } = new URL(server.url);
      return `${origin}${pathname}`;
    }
  }
}

/**
 * Refuses to send a key unencrypted to another machine without permission (`core/told/in-the-clear.ts`).
 * @throws HitlError BAD_CONFIG
 */
export function checkKeys(server: McpAddress, hasLogin: boolean, allowHttp: boolean | undefined): void {
  if (!hasLogin && Object.keys(server.headers).length === 0) return;
  const problem = clearProblem(sendingTo(new URL(server.url), 'the key in its headers'), allowHttp);
  if (problem === undefined) return;
  throw new HitlError('BAD_CONFIG', `server \`${server.name}\` was not called: ${problem}; ${CLEAR_HINT}`);
}

/** Whether the user configured such a header. */
export function hasHeader({ headers }: McpAddress, name: string): boolean {
  return Object.keys(headers).some((one) => one.toLowerCase() === name);
}
