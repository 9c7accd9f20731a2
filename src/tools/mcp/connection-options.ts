import type { Clock, JsonObject, ToolContext } from '../../core/index.js';
import type { AskPerson } from './asked-at-once.js';
import type { Continuation } from './input-required.js';
import type { Logins } from './oauth.js';
import type { OfferedTool } from './offered.js';
import type { McpServer } from './wire/mcp-server.js';

/** Options of a connection. */
export interface ConnectionOptions {
  readonly version: string;
  readonly clock: Clock;
  /** Folder announced to servers. Default: none. */
  readonly root?: string;
  /** The logins at servers. Default: none. */
  readonly logins?: Logins;
  /** Allows sending keys unencrypted to another machine. Default: false. */
  readonly allowHttp?: boolean;
  /** Called with notices about a server, one line each. */
  notice(server: McpServer, line: string): void;
  /** Called with a server's error output, one line each. */
  logged(server: McpServer, line: string): void;
  /** Called when the tools of a server may have changed. */
  changed(): void;
  /**
   * Asks the user immediately what a server requests during a call. Absent, or throwing: no user is present.
   */
  ask?: AskPerson;
}

/** A call of a server's tool. */
export interface ServerCall {
  /** The tool as checked: only it is called. */
  readonly as: OfferedTool;
  readonly input: JsonObject;
  /** Answers that the server requested before continuing this call. */
  readonly goesOn?: Continuation;
  readonly progress: (text: string) => void;
  /** Stores the server's questions and the answers. Absent: not stored. */
  readonly askAtOnce?: ToolContext['askAtOnce'];
  readonly signal: AbortSignal;
}
