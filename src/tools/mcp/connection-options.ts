import type { Clock, JsonObject, ToolContext } from '../../core/index.js';
import type { AskPerson } from './asked-at-once.js';
import type { Continuation } from './input-required.js';
import type { Logins } from './oauth.js';
import type { OfferedTool } from './offered.js';
import type { McpServer } from './wire/mcp-server.js';

/** The surroundings of a connection. */
export interface ConnectionOptions {
  readonly version: string;
  readonly clock: Clock;
  /** The folder that a server is told of. Default: it is told of none. */
  readonly root?: string;
  /** The logins at servers. Default: none. */
  readonly logins?: Logins;
  /** Somebody agreed to send keys unencrypted to another machine. Default false. */
  readonly allowHttp?: boolean;
  /** Hears what becomes of a server, a line each. */
  notice(server: McpServer, line: string): void;
  /** Hears what a server writes on its error stream, a line each. */
  logged(server: McpServer, line: string): void;
  /** Hears that the tools of a server may have changed. */
  changed(): void;
  /** Asks a person at once what a server wants to know in the middle of a call. Absent, or a throw: nobody is there. */
  ask?: AskPerson;
}

/** A call of a server's tool. */
export interface ServerCall {
  /** The tool as it was looked at: it is called for no other. */
  readonly as: OfferedTool;
  readonly input: JsonObject;
  /** The answers to what the server asked for before it goes on with this call. */
  readonly goesOn?: Continuation;
  readonly progress: (text: string) => void;
  /** Keeps what the server asks a person meanwhile, and what they say. Absent: nobody keeps it. */
  readonly askAtOnce?: ToolContext['askAtOnce'];
  readonly signal: AbortSignal;
}
