import type { Clock, JsonObject, ToolContext } from '../../core/index.js';
import type { AskPerson } from './asked-at-once.js';
import type { Continuation } from './input-required.js';
import type { Logins } from './oauth.js';
import type { OfferedTool } from './offered.js';
import type { McpServer } from './wire/mcp-server.js';

/** Options for a connection. */
export interface ConnectionOptions {
  readonly version: string;
  readonly clock: Clock;
  /** Path of the folder that servers are told about. Default: none. */
  readonly root?: string;
  /** Stored logins for servers. Default: none. */
  readonly logins?: Logins;
  /** Whether keys may be sent to another machine unencrypted. Default: false. */
  readonly allowHttp?: boolean;
  /** Called with notices about a server, one line at a time. */
  notice(server: McpServer, line: string): void;
  /** Called with a server's error output, one line at a time. */
  logged(server: McpServer, line: string): void;
  /** Called when the tools of a server may have changed. */
  changed(): void;
  /**
   * Asks the user at once when a server requests it during a call. If this is absent or throws, no user is
   * present.
   */
  ask?: AskPerson;
}

/** A call to a tool of a server. */
export interface ServerCall {
  /** The tool as it was checked. The call is refused if the server has changed the tool. */
  readonly as: OfferedTool;
  readonly input: JsonObject;
  /** The answers that the server requested before it can continue this call. */
  readonly goesOn?: Continuation;
  readonly progress: (text: string) => void;
  /** Stores the questions that the server asks and their answers. If absent, they are not stored. */
  readonly askAtOnce?: ToolContext['askAtOnce'];
  readonly signal: AbortSignal;
}
