import type { Effect } from '../interrupt.js';
import type { JsonObject } from '../json/index.js';
import type { ReplySettings } from '../message/index.js';
import type { McpOrigin } from './mcp.js';
import type { SessionMode } from './session-mode.js';

/** A tool without its code, as a session knows it: enough to ask about a call and to check an answer. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly effect: Effect;
  /** The origin of the tool: `built in`, `module ./bank.js`, `mcp <server>`. */
  readonly origin: string;
  /** False for a tool without a body, which only asks. */
  readonly restartable: boolean;
  /**
   * Names the code that its body comes from: a digest of its module, or what its author says. An approval is for this
   * code. Absent where nobody says which it is.
   */
  readonly code?: string;
  /** Of a tool of a server of the Model Context Protocol: the server, and what it says. */
  readonly mcp?: McpOrigin;
}

/** The agent of a session: model, system prompt and tools, and what these may do. */
export interface AgentFingerprint extends ReplySettings {
  readonly model: string;
  /** The model's server, without a password, where it is not the provider's own: a resume talks to the same one. */
  readonly server?: string;
  readonly system?: string;
  readonly tools: readonly ToolDescriptor[];
  /** Absolute paths of the tool modules, so that a resume loads the same ones. */
  readonly modules?: readonly string[];
  /** The servers of the Model Context Protocol that were named, as they were: a name, a command or an address. */
  readonly mcp?: readonly string[];
  /** Absolute path of the workflow that the session runs; absent in a chat. */
  readonly flow?: string;
  /** Says what the session may do without a question. Default `ask`. */
  readonly mode?: Exclude<SessionMode, 'ask'>;
}
