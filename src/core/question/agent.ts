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
  /** For a tool of an MCP server: the server, and its annotations. */
  readonly mcp?: McpOrigin;
}

/**
 * What a session may do without asking. `read-only`: calls that change or send something are denied. `ask`:
 * tools and rules decide what asks. `accept-edits`: files in the working folder change without asking.
 */
export type SessionMode = 'read-only' | 'ask' | 'accept-edits';

/** Every mode, strictest first. */
export const SESSION_MODES: readonly SessionMode[] = ['read-only', 'ask', 'accept-edits'];

/** A session's agent: model, system prompt, tools, and their permissions. */
export interface AgentFingerprint extends ReplySettings {
  readonly model: string;
  /** URL of the model's server without password, unless it is the provider's own; a resume uses the same. */
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

/** Fingerprint of a tool's input, output and effect: an approval is void if one of them differs (G11). */
export function schemaDigest({ name, inputSchema, outputSchema, effect, mcp }: ToolDescriptor): string {
  return digestOf([name, inputSchema, outputSchema ?? null, effect, ...(mcp ? [{ ...mcp }] : [])]);
}

/** Fingerprint of a tool: rules and approvals for a changed tool are void. */
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
