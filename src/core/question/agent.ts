import type { Effect } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { ReplySettings } from '../data/reply-settings.js';
import type { McpOrigin } from './mcp.js';
import { digestOf } from '../data/digest.js';

/** A tool without its code: enough to ask about a call and to check an answer. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly effect: Effect;
  /** Source of the tool: `built in`, `module ./bank.js`, `mcp <server>`. */
  readonly origin: string;
  /** False for a tool without a body, which only asks. */
  readonly restartable: boolean;
  /**
   * Identifies the code of the body: a digest of its module, or the author's version. An approval is for this code.
   * Absent if unknown.
   */
  readonly code?: string;
  /** For a tool of an MCP server: the server, and its claims. */
  readonly mcp?: McpOrigin;
}

/**
 * Says what a whole session may do without a question. `read-only`: what changes or sends something is denied. `ask`: what
 * tools and rules ask about is asked. `accept-edits`: files in the working folder are changed without a question.
 */
export type SessionMode = 'read-only' | 'ask' | 'accept-edits';

/** Every mode, the strictest first. */
export const SESSION_MODES: readonly SessionMode[] = ['read-only', 'ask', 'accept-edits'];

/** A session's agent: model, system prompt, tools, and their permissions. */
export interface AgentFingerprint extends ReplySettings {
  readonly model: string;
  /** URL of the model's server without password, if it is not the provider's own; a resume uses the same. */
  readonly server?: string;
  readonly system?: string;
  readonly tools: readonly ToolDescriptor[];
  /** Absolute paths of the tool modules, for a resume. */
  readonly modules?: readonly string[];
  /** MCP servers as they were given: a name, a command or a URL. */
  readonly mcp?: readonly string[];
  /** Absolute path of the session's workflow; absent in a chat. */
  readonly flow?: string;
  /** The approval mode. Default `ask`. */
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
