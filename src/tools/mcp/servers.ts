import type { Tool } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { ConnectionOptions } from './connection-options.js';
import { McpConnection } from './server-connection.js';
import { mcpTool } from './mcp-tool.js';
import { cut } from './server-answer.js';
import type { McpServer } from './wire/mcp-server.js';

/** The state of a server, for display. */
export type ServerState =
  | { readonly type: 'starting' }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly why: string };

export interface ServersOptions extends Omit<ConnectionOptions, 'changed'> {
  /**
   * Whether to report each unusable tool. Default: true. Set it to false for a resumed session, which has
   * already reported them.
   */
  readonly tellsLeftOut?: boolean;
}

/**
 * Maximum number of lines to show per server, and maximum length of each. They are limited because they
 * contain text from the server.
 */
const MOST_LINES = 100;
const LONGEST_LINE = 1_000;

/** MCP servers, and their current tools. */
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

  /** Starts all servers, and reports the outcome for each server exactly once. */
  start(): void {
    this.#begun ??= Promise.all(this.connections.map((connection) => this.#begin(connection)));
  }

  /** Waits up to `ms` until every server is connected or has failed. */
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

  /** Tools of the connected servers. The same objects are returned until a tool changes. */
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

  /** Reports a line, up to the server's limit. */
  readonly #notice = (server: McpServer, line: string): void => {
    const before = this.#lines.get(server) ?? 0;
    this.#lines.set(server, before + 1);
    if (before < MOST_LINES) this.#options.notice(server, cut(line, LONGEST_LINE));
    if (before === MOST_LINES)
      this.#options.notice(server, `server \`${server.name}\` logs too much; further lines are not shown`);
  };
}
