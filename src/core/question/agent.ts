import type { Effect } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { ReplySettings } from '../data/reply-settings.js';
import type { McpOrigin } from './mcp.js';
import { digestOf } from '../data/digest.js';
import { isJsonObject, membersOf } from '../data/json.js';

/** How a person edits a tool's calls: which property comes first, and in what form. It does not affect approvals. */
export interface EditForm {
  /** The property to edit first; another key leads to the others. */
  readonly field: string;
  /**
   * `line`: one line, such as a command or a name. `text`: several lines, opened as a file in the user's editor.
   * Default `line`.
   */
  readonly as?: 'line' | 'text';
  /** A property with the same content as a list of words, such as program and arguments; the form omits it. */
  readonly words?: string;
  /** The property that contains a file name, for the editor. */
  readonly file?: string;
  /** Labels of the other properties. Default: their titles in the schema, or their keys. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The characters of a name in an edit form at most, and the number of names. */
const LONGEST_LABEL = 80;
const MOST_LABELS = 50;

/** Says why something is no edit form for a tool's input; `undefined` where it is one. */
export function editFormProblem(value: unknown, inputSchema: JsonObject): string | undefined {
  if (!isJsonObject(value)) return '`editing` must be an object';
  const { field, as = 'line', words, file, labels = {}, ...rest } = value;
  const [strange] = Object.keys(rest);
  if (strange !== undefined) return `\`editing\` has no \`${strange}\``;
  if (as !== 'line' && as !== 'text') return '`editing.as` must be line or text';
  const properties = membersOf(inputSchema['properties']);
  for (const [name, key] of Object.entries({ field, words, file })) {
    if (key === undefined && name !== 'field') continue;
    if (typeof key !== 'string' || !Object.hasOwn(properties, key))
      return `\`editing.${name}\` must be a property of the input`;
  }
  const all = isJsonObject(labels) ? Object.values(labels) : [false];
  const areNames = all.every((label) => typeof label === 'string' && label.length <= LONGEST_LABEL);
  return areNames && all.length <= MOST_LABELS
    ? undefined
    : `\`editing.labels\` must be at most ${MOST_LABELS} names of at most ${LONGEST_LABEL} characters`;
}

/** True for an edit form of this input. */
export function isEditForm(value: unknown, inputSchema: JsonObject): value is EditForm {
  return editFormProblem(value, inputSchema) === undefined;
}

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
  /** Whether a reviewer may approve its calls. Not part of any digest. Default: only a person may. */
  readonly reviewable?: true;
  /** How a person edits a call. Not part of any digest. Default: a form of all properties. */
  readonly editing?: EditForm;
}

/**
 * What a session may do without asking. `read-only`: calls that change or send something are denied. `ask`:
 * tools and rules decide what asks. `accept-edits`: files in the working folder change without asking. `auto`: also by
 * commands, which run in a copy of the folder.
 */
export type SessionMode = 'read-only' | 'ask' | 'accept-edits' | 'auto';

/** Every mode, strictest first. */
export const SESSION_MODES: readonly SessionMode[] = ['read-only', 'ask', 'accept-edits', 'auto'];

/** A session's agent: model, system prompt, tools, and their permissions. */
export interface AgentFingerprint extends ReplySettings {
  readonly model: string;
  /** URL of the model's server without password, unless it is the provider's own; a resume uses the same. */
  readonly server?: string;
  readonly system?: string;
  readonly tools: readonly ToolDescriptor[];
  /** Absolute paths of the tool modules, for a resume. */
  readonly modules?: readonly string[];
  /** MCP servers as they were specified: a name, a command or a URL. */
  readonly mcp?: readonly string[];
  /** Absolute path of the session's workflow; absent in a chat. */
  readonly flow?: string;
  /** The approval mode. Default `ask`. */
  readonly mode?: Exclude<SessionMode, 'ask'>;
  /** Name of the reviewer of a program that holds the session. Absent: none, or that of mode `auto`. */
  readonly reviewer?: string;
  /** The project's instructions for agents, as sent to the model: name of the file, and digest of its content. */
  readonly memory?: { readonly file: string; readonly sha256: string };
}

/** The descriptor of a tool without its code. */
export function describeTool(tool: ToolDescriptor): ToolDescriptor {
  const { name, description, inputSchema, outputSchema, effect, origin, restartable, code, mcp } = tool;
  const { reviewable, editing } = tool;
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
    ...(reviewable === true && { reviewable }),
    ...(editing && { editing }),
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
