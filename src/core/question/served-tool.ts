import type { ToolDescriptor } from './agent.js';
import type { McpOrigin } from './mcp.js';
import { mcpHints, isMcpServerName, mcpToolName } from './mcp.js';
import type { JsonObject } from '../data/json.js';
import { digestOf } from '../data/digest.js';
import { isJsonObject } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';

/**
 * An MCP tool as the user allowed it: how hitl connects to its server and how the server describes it. Text
 * is truncated for display; the digest covers all of it.
 */
export interface ServedTool {
  readonly name: string;
  /** How hitl connects to the server: its program with arguments, or its URL. */
  readonly reached: string;
  readonly title?: string;
  readonly description: string;
  /** The server's annotations for the tool, such as `read-only, may destroy`. */
  readonly claims: string;
  /** Properties of the tool's input. */
  readonly input: string;
  readonly digest: string;
}

/** Maximum number of characters saved from each of a server's texts. */
const SHOWN = 300;

/** Returns the description of an MCP tool in the form to save; `undefined` for any other tool. */
export function servedTool(tool: ToolDescriptor): ServedTool | undefined {
  const { name, description, inputSchema, outputSchema, mcp } = tool;
  if (mcp === undefined) return undefined;
  return {
    name,
    reached: mcp.reached,
    ...(mcp.title !== undefined && { title: plainLine(mcp.title, SHOWN) }),
    description: plainLine(description, SHOWN),
    claims: mcpHints(mcp).join(', '),
    input: plainLine(membersIn(inputSchema), SHOWN),
    digest: digestOf([name, description, inputSchema, outputSchema ?? null, { ...mcp }]),
  };
}

function membersIn({ properties }: JsonObject): string {
  const named = properties !== undefined && isJsonObject(properties) ? Object.entries(properties) : [];
  return named
    .map(([name, property]) => {
      const type = isJsonObject(property) ? property['type'] : undefined;
      return typeof type === 'string' ? `${name} (${type})` : name;
    })
    .join(', ');
}

/** Lists the changes that a server has made to its tool, with old and new values; empty if there are none. */
export function servedDifferences(before: ServedTool, now: ServedTool): readonly string[] {
  if (before.digest === now.digest) return [];
  const lines = MEMBERS.flatMap(([member, words]) => {
    const [was = '', is = ''] = [before[member], now[member]];
    return was === is ? [] : [`${words} is ${quoted(is)}, and was ${quoted(was)}`];
  });
  return lines.length > 0 ? lines : ['its schemas, or the end of its description, have changed'];
}

const MEMBERS = [
  ['reached', 'its server'],
  ['title', 'its title'],
  ['description', 'its description'],
  ['claims', 'its server’s claim'],
  ['input', 'its input'],
] as const;

function quoted(text: string): string {
  return text === '' ? 'nothing' : JSON.stringify(text);
}

/** Returns the version of a tool that was allowed before, preferably one from the same server. */
export function servedBefore(known: readonly ServedTool[], now: ServedTool): ServedTool | undefined {
  const named = known.filter(({ name }) => name === now.name);
  return named.find(({ reached }) => reached === now.reached) ?? named.at(-1);
}

/** The MCP tools that a rule matches. */
export interface ServedScope {
  /** Name of the server in the configuration. */
  readonly server: string;
  /** Whether the rule matches only tools that the server declares read-only. */
  readonly readOnly: boolean;
  /**
   * The rule's tool name in other agents' syntax, if it is written that way. It also matches a module's tool
   * with that name.
   */
  readonly spelled?: string;
}

/** A rule for a server's tools. */
interface ServedRule extends ServedScope {
  readonly tool: string;
}

const READ_ONLY = 'when read-only';

/** Whether a server declares a tool read-only and not destructive. */
export function onlyReads({ readOnly, destructive }: McpOrigin): boolean {
  return readOnly === true && destructive !== true;
}

/** Whether a name refers to a server's tools: `mcp:files/*`, or `mcp__files__*` in other agents' syntax. */
export function isServedName(name: string): boolean {
  return name.startsWith(SERVED) || name.startsWith(SPELLED);
}

/**
 * Parses `mcp:files/*` or `mcp:files/read_file`, also written `mcp__files__*`, `mcp__files` or
 * `mcp__files__read_file`, optionally followed by `when read-only`. Returns an error message if the text is
 * invalid.
 */
export function readServed(name: string, words: string): ServedRule | string {
  const isSpelled = name.startsWith(SPELLED);
  const [server = '', tool = '', ...more] = isSpelled
    ? spelledParts(name)
    : name.slice(SERVED.length).split('/');
  if (!isMcpServerName(server) || tool === '' || more.length > 0)
    return `\`${name}\` is not an MCP tool name: \`mcp:files/*\` matches every tool of \`files\`, \`mcp:files/read_file\` matches one`;
  if (words !== '' && words.split(/[ \t]+/u).join(' ') !== READ_ONLY)
    return `only \`${READ_ONLY}\` can follow \`${name}\``;
  const readOnly = words !== '';
  const scope = { server, readOnly, ...(isSpelled && !readOnly && { spelled: name }) };
  if (tool === '*') return { tool: `${server}__*`, ...scope };
  if (tool.includes('*')) return `\`${name}\`: a \`*\` matches all tools of the server, not part of a name`;
  return { tool: mcpToolName(server, tool), ...scope };
}

/** Splits a name at `__`, which cannot occur in a server's name. */
function spelledParts(name: string): readonly string[] {
  const [server = '', ...tool] = name.slice(SPELLED.length).split('__');
  return [server, tool.length === 0 ? '*' : tool.join('__')];
}

/** Whether a name equals a pattern, or starts with its prefix if the pattern ends in `*`. */
export function fitsName(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

const SPELLED = 'mcp__';

/** Prefix of names that refer to a server's tools. */
const SERVED = 'mcp:';
