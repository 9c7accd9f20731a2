import type { Effect } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { ReplySettings } from '../data/reply-settings.js';
import type { McpOrigin } from './mcp.js';
import { digestOf } from '../data/digest.js';

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

/**
 * Says what a whole session may do without a question. `read-only`: what changes or sends something is denied. `ask`: what
 * tools and rules ask about is asked. `accept-edits`: files in the working folder are changed without a question.
 */
export type SessionMode = 'read-only' | 'ask' | 'accept-edits';

/** Every mode, the strictest first. */
export const SESSION_MODES: readonly SessionMode[] = ['read-only', 'ask', 'accept-edits'];

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

/** The descriptor of a tool without its code. */
export function describeTool(tool: ToolDescriptor): ToolDescriptor {
  const { name, description, inputSchema, outputSchema, effect, origin, restartable, code, mcp } = tool;
  return {
    name,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    effect,
    origin,
    restartable,
    ...(code !== undefined && { code }),
    ...(mcp && { mcp }),
  };
}

/** Fingerprint of what a tool takes, gives and does: an approval is void for a tool that differs in one of them (G11). */
export function schemaDigest({ name, inputSchema, outputSchema, effect, mcp }: ToolDescriptor): string {
  return digestOf([name, inputSchema, outputSchema ?? null, effect, ...(mcp ? [{ ...mcp }] : [])]);
}

/** Fingerprint of what a tool is: a rule or an approval for a tool that has changed is void. */
export function toolDigest(tool: ToolDescriptor): string {
  const { name, description, inputSchema, outputSchema, effect, origin, code, mcp } = tool;
  const parts: JsonValue = [
    name,
    description,
    inputSchema,
    outputSchema ?? null,
    effect,
    origin,
    ...(code === undefined ? [] : [{ code }]),
    ...(mcp ? [{ ...mcp }] : []),
  ];
  return digestOf(parts);
}
