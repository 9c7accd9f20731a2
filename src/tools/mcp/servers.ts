import type { Tool } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { ConnectionOptions } from './connection-options.js';
import { McpConnection } from './server-connection.js';
import { mcpTool } from './mcp-tool.js';
import { cut } from './server-answer.js';
import type { McpServer } from './wire/mcp-server.js';

/** The state of a server, as a person is told it. */
export type ServerState =
  | { readonly type: 'starting' }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly why: string };

export interface ServersOptions extends Omit<ConnectionOptions, 'changed'> {
  /** Whether a line is told about each tool that cannot be offered. Default: yes; a session that goes on was told. */
  readonly tellsLeftOut?: boolean;
}

/** The lines that are told of one server, and the characters of each: words of it stand in them. */
const MOST_LINES = 100;
const LONGEST_LINE = 1_000;

/** Servers of the Model Context Protocol, and their tools as they are now. */
export class McpServers implements AsyncDisposable {
  readonly connections: readonly McpConnection[];
  readonly #options: ServersOptions;
  readonly #states = new Map<McpConnection, ServerState>();
  readonly #told = new Set<string>();
  readonly #lines = new Map<McpServer, number>();
  #begun: Promise<unknown> | undefined;
  #tools: readonly Tool[] | undefined;

  constructor(servers: readonly McpServer[], options: ServersOptions) {
    this.#options = options;
    const changed = (): void => {
      this.#tools = undefined;
    };
    this.connections = servers.map(
      (server) => new McpConnection(server, { ...options, notice: this.#notice, changed }),
    );
  }

  /** Starts every server; what becomes of each is told once. */
  start(): void {
    this.#begun ??= Promise.all(this.connections.map((connection) => this.#begin(connection)));
  }

  /** Waits until every server is there or has failed, and no longer than `ms`. */
  async settled(ms: number): Promise<void> {
    this.start();
    if (this.connections.length === 0) return;
    const late = new AbortController();
    const limit = this.#options.clock.sleep(ms, late.signal).catch(() => undefined); // all were there in time
    await Promise.race([this.#begun, limit]);
    late.abort();
    for (const connection of this.connections)
      if (this.stateOf(connection).type === 'starting')
        this.#once(
          connection,
          `waiting for server \`${connection.server.name}\`; its tools are added when it connects`,
        );
  }

  stateOf(connection: McpConnection): ServerState {
    return this.#states.get(connection) ?? { type: 'starting' };
  }

  /** The tools of the servers that are there, the same objects until one changes. */
  get tools(): readonly Tool[] {
    this.#tools ??= this.connections.flatMap((connection) => this.#toolsOf(connection));
    return this.#tools;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  async #begin(connection: McpConnection): Promise<void> {
    try {
      await connection.connect();
      this.#states.set(connection, { type: 'ready' });
    } catch (thrown) {
      const why = messageOf(thrown);
      this.#states.set(connection, { type: 'failed', why });
      this.#once(connection, why);
    }
    this.#tools = undefined;
  }

  #toolsOf(connection: McpConnection): readonly Tool[] {
    const { tools, problems } = connection.offered;
    for (const problem of problems) this.#leftOut(connection, problem);
    return tools.flatMap((offered): Tool[] => {
      try {
        return [mcpTool(offered, connection)];
      } catch (thrown) {
        this.#leftOut(
          connection,
          `${connection.server.name}: tool \`${offered.name}\` skipped: ${messageOf(thrown)}`,
        );
        return [];
      }
    });
  }

  #leftOut(connection: McpConnection, line: string): void {
    if (this.#options.tellsLeftOut !== false) this.#once(connection, line);
  }

  #once({ server }: McpConnection, line: string): void {
    if (this.#told.has(line) || (this.#lines.get(server) ?? 0) > MOST_LINES) return;
    this.#told.add(line);
    this.#notice(server, line);
  }

  /** Tells a line, unless there were too many of that server. */
  readonly #notice = (server: McpServer, line: string): void => {
    const before = this.#lines.get(server) ?? 0;
    this.#lines.set(server, before + 1);
    if (before < MOST_LINES) this.#options.notice(server, cut(line, LONGEST_LINE));
    if (before === MOST_LINES)
      this.#options.notice(server, `server \`${server.name}\` logs too much; further lines are not shown`);
  };
}
