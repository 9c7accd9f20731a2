import { CLEAR_HINT, clearProblem, HitlError, sendingTo } from '../../../core/index.js';
import type { FileContent } from '../../../files/index.js';
import type { ProgramKind, Unseen, WorkPlace } from '../../../programs/index.js';

/** An MCP server, and how to start or reach it. */
export type McpServer = McpProgram | McpAddress;

interface McpBase {
  /** Name of the server: `^[a-zA-Z0-9_-]{1,32}$`. The names of its tools start with it. */
  readonly name: string;
  /** Where the server is configured, for example `.mcp.json`, `your configuration` or `--mcp`. */
  readonly from: string;
  /** Time limit for a call without progress, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/** A server program that communicates over its standard streams. */
export interface McpProgram extends McpBase {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Additional environment variables. Apart from these, the server receives only the variables that every
   * program needs.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Folder to start the server in. Default: a neutral folder for its kind. */
  readonly cwd?: string;
  /** Kind of program, which determines the rules for starting it. Default: a server from the library. */
  readonly kind?: Extract<ProgramKind, 'mcp-server' | 'project-server' | 'library-server'>;
  /** The folder of the session, which determines the neutral folders. */
  readonly place?: WorkPlace;
  /**
   * Files in the command of the server, with their approved content. If the content of a file differs, the
   * server is not started.
   */
  readonly files?: readonly FileContent[];
  /** Files that the server loads from an unreviewed folder. */
  readonly unseen?: Unseen;
}

/** A server at a URL that uses streamable HTTP. */
export interface McpAddress extends McpBase {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Private addresses and ranges that the server and its login may use. Default: only those that its URL
   * specifies.
   */
  readonly allow?: readonly string[];
}

/** Returns one line that describes how a server is reached. It contains no secrets. */
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
 * Refuses to send keys to another machine unencrypted unless that is allowed (`core/told/in-the-clear.ts`).
 * @throws HitlError BAD_CONFIG
 */
export function checkKeys(server: McpAddress, hasLogin: boolean, allowHttp: boolean | undefined): void {
  if (!hasLogin && Object.keys(server.headers).length === 0) return;
  const problem = clearProblem(sendingTo(new URL(server.url), 'the key in its headers'), allowHttp);
  if (problem === undefined) return;
  throw new HitlError('BAD_CONFIG', `server \`${server.name}\` was not called: ${problem}; ${CLEAR_HINT}`);
}

/** Whether the user configured a header with this name. */
export function hasHeader({ headers }: McpAddress, name: string): boolean {
  return Object.keys(headers).some((one) => one.toLowerCase() === name);
}
