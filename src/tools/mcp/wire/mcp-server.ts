import { CLEAR_HINT, clearProblem, HitlError, sendingTo } from '../../../core/index.js';
import type { FileContent } from '../../../files/index.js';
import type { ProgramKind, Unseen, WorkPlace } from '../../../programs/index.js';

/** A server of the Model Context Protocol, as it is started or reached. */
export type McpServer = McpProgram | McpAddress;

interface McpBase {
  /** `^[a-zA-Z0-9_-]{1,32}$`; it stands before the names of its tools. */
  readonly name: string;
  /** The place where it was found: `.mcp.json`, `your configuration`, `--mcp`. */
  readonly from: string;
  /** The time that a call may take without a sign of progress, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/** A server that is a program: it is started, and spoken to by its standard streams. */
export interface McpProgram extends McpBase {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Additional variables; nothing else of the environment is passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that it stands in. Default: a neutral one, for the kind that stands there. */
  readonly cwd?: string;
  /** The laws that it starts under. Default: those of a server that a program of the library’s user names. */
  readonly kind?: Extract<ProgramKind, 'mcp-server' | 'project-server' | 'library-server'>;
  /** The place that the session works in, which decides what is neutral. */
  readonly place?: WorkPlace;
  /** The files that its words name, as they were agreed to: with another content it is not started. */
  readonly files?: readonly FileContent[];
  /** What it loads from a folder at which nobody looked. */
  readonly unseen?: Unseen;
}

/** A server at a URL: streamable HTTP. */
export interface McpAddress extends McpBase {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Private addresses, and ranges of them, that it and its login may lead to. Default: those that its own name says. */
  readonly allow?: readonly string[];
}

/** Says how a server is reached, in one line without its secrets. */
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
 * Refuses to send a key unencrypted to another machine, unless somebody agreed (`core/told/in-the-clear.ts`).
 * @throws HitlError BAD_CONFIG
 */
export function checkKeys(server: McpAddress, hasLogin: boolean, allowHttp: boolean | undefined): void {
  if (!hasLogin && Object.keys(server.headers).length === 0) return;
  const problem = clearProblem(sendingTo(new URL(server.url), 'the key in its headers'), allowHttp);
  if (problem === undefined) return;
  throw new HitlError('BAD_CONFIG', `server \`${server.name}\` was not called: ${problem}; ${CLEAR_HINT}`);
}

/** True where a person gave such a header for each request. */
export function hasHeader({ headers }: McpAddress, name: string): boolean {
  return Object.keys(headers).some((one) => one.toLowerCase() === name);
}
