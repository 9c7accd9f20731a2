import type { ToolDescriptor } from '../agent/index.js';
import { mcpHints } from '../agent/index.js';
import type { JsonObject } from '../json/index.js';
import { digestOf, isJsonObject } from '../json/index.js';
import { plainLine } from '../text/index.js';

/**
 * The tool of a server as it was when a person allowed it: where the server is, and what it said of the tool. The texts
 * are cut, for people; the digest is of all of it.
 */
export interface ServedTool {
  readonly name: string;
  /** The program with its arguments, or the address. */
  readonly reached: string;
  readonly title?: string;
  readonly description: string;
  /** What the server claims of it: `read-only, may destroy`. */
  readonly claims: string;
  /** The members of its input. */
  readonly input: string;
  readonly digest: string;
}

/** The characters of a text of a server that are kept to be shown again. */
const SHOWN = 300;

/** Keeps what a tool is at its server; `undefined` for a tool that is of no server. */
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

/** Says what a server tells of its tool now, and what it told before; nothing where it is the same. */
export function servedDifferences(before: ServedTool, now: ServedTool): readonly string[] {
  if (before.digest === now.digest) return [];
  const lines = MEMBERS.flatMap(([member, words]) => {
    const [was = '', is = ''] = [before[member], now[member]];
    return was === is ? [] : [`${words} is ${quoted(is)}, and was ${quoted(was)}`];
  });
  return lines.length > 0 ? lines : ['its schemas, or the end of its description, are others'];
}

const MEMBERS = [
  ['reached', 'its server'],
  ['title', 'its title'],
  ['description', 'its description'],
  ['claims', 'what its server claims'],
  ['input', 'its input'],
] as const;

function quoted(text: string): string {
  return text === '' ? 'nothing' : JSON.stringify(text);
}

/** The tool as a person allowed it before: at the same server if they did so there. */
export function servedBefore(known: readonly ServedTool[], now: ServedTool): ServedTool | undefined {
  const named = known.filter(({ name }) => name === now.name);
  return named.find(({ reached }) => reached === now.reached) ?? named.at(-1);
}
