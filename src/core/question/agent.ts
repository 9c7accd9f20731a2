import type { Effect } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { ReplySettings } from '../data/reply-settings.js';
import type { McpOrigin } from './mcp.js';
import { digestOf } from '../data/digest.js';
import { isJsonObject, membersOf } from '../data/json.js';

/**
 * How a person edits the calls of a tool: the property to edit first, and the kind of editor for it. Does not
 * affect approvals.
 */
export interface EditForm {
  /** The property to edit first. Another key gives access to the other properties. */
  readonly field: string;
  /**
   * `line`: one line, for example a command or a name. `text`: several lines, opened as a file in the user's
   * editor. Default `line`.
   */
  readonly as?: 'line' | 'text';
  /**
   * An equivalent property that contains the same value as a list of words, for example a program and its
   * arguments. It is left out of the edit form.
   */
  readonly words?: string;
  /** The property that contains the file name to use in the editor. */
  readonly file?: string;
  /** Labels for the other properties. Default: their titles in the schema, or their keys. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Maximum length of a label in an edit form, in characters, and maximum number of labels. */
const LONGEST_LABEL = 80;
const MOST_LABELS = 50;

/**
 * Returns the reason that a value is not a valid edit form for a tool's input, or `undefined` if it is one.
 */
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
    : `\`editing.labels\` must be at most ${MOST_LABELS} names of at most ${LONGEST_LABEL} characters each`;
}

/** Whether a value is a valid edit form for this input. */
export function isEditForm(value: unknown, inputSchema: JsonObject): value is EditForm {
  return editFormProblem(value, inputSchema) === undefined;
}

/** A tool without its code. Contains everything needed to ask about a call and to check an answer. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly effect: Effect;
  /** The tool's source: `built in`, `module ./bank.js`, `mcp <server>`. */
  readonly origin: string;
  /** False for a tool that has no body and only asks. */
  readonly restartable: boolean;
  /**
   * Identifies the body's code: a digest of its module, or a version set by the author. An approval is valid
   * only for this code. Absent if unknown.
   */
  readonly code?: string;
  /** For an MCP tool: its server and annotations. */
  readonly mcp?: McpOrigin;
  /** Whether a reviewer may approve the tool's calls. Not part of any digest. Default: only a person may. */
  readonly reviewable?: true;
  /** How a person edits a call. Not part of any digest. Default: a form with all properties. */
  readonly editing?: EditForm;
}

/**
 * What a session may do without asking. `read-only`: calls that change or send something are denied. `ask`:
 * tools and rules decide which calls need approval. `accept-edits`: files in the working folder may be
 * changed without asking. `auto`: like `accept-edits`, but commands may change files too. They run in a copy
 * of the folder.
 */
export type SessionMode = 'read-only' | 'ask' | 'accept-edits' | 'auto';

/** All modes, strictest first. */
export const SESSION_MODES: readonly SessionMode[] = ['read-only', 'ask', 'accept-edits', 'auto'];

/** A session's agent: model, system prompt, tools and permissions. */
export interface AgentFingerprint extends ReplySettings {
  readonly model: string;
  /**
   * URL of the model's server, without its password; absent for the provider's own server. Used again on
   * resume.
   */
  readonly server?: string;
  readonly system?: string;
  readonly tools: readonly ToolDescriptor[];
  /** Absolute paths of the tool modules, which are loaded again on resume. */
  readonly modules?: readonly string[];
  /** MCP servers as they were specified: a name, a command or a URL. */
  readonly mcp?: readonly string[];
  /** Absolute path of the workflow that the session runs; absent in a chat. */
  readonly flow?: string;
  /** The approval mode. Default `ask`. */
  readonly mode?: Exclude<SessionMode, 'ask'>;
  /**
   * Name of the reviewer that the host program has set. If absent, there is none, or mode `auto` uses its
   * own.
   */
  readonly reviewer?: string;
  /**
   * The project's instructions for agents, as sent to the model: the file's name and the digest of its
   * content.
   */
  readonly memory?: { readonly file: string; readonly sha256: string };
}

/** Returns a tool's descriptor, without its code. */
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

/**
 * Returns a fingerprint of a tool's name, schemas, effect and server. An approval is void if any of them
 * changes (G11).
 */
export function schemaDigest({ name, inputSchema, outputSchema, effect, mcp }: ToolDescriptor): string {
  return digestOf([name, inputSchema, outputSchema ?? null, effect, ...(mcp ? [{ ...mcp }] : [])]);
}

/** Returns a fingerprint of a tool. Rules and approvals become void if it changes. */
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
