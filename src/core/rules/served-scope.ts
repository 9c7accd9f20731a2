import type { McpOrigin } from '../agent/index.js';
import { isMcpServerName, mcpToolName } from '../agent/index.js';

/** The tools of a server of the Model Context Protocol that a rule is about. */
export interface ServedScope {
  /** As the person named it. */
  readonly server: string;
  /** Only tools of which the server says that they only read: the rule takes its word for it. */
  readonly readOnly: boolean;
  /** The names as other agents spell them, where the rule does: a tool of a module that is named so is meant too. */
  readonly spelled?: string;
}

/** A rule about the tools of a server: the names that it is about, and the tools that count. */
interface ServedRule extends ServedScope {
  readonly tool: string;
}

const READ_ONLY = 'when read-only';

/** True for a tool of which its server says that it only reads, and not that it may destroy. */
export function onlyReads({ readOnly, destructive }: McpOrigin): boolean {
  return readOnly === true && destructive !== true;
}

/** True for a name that means tools of a server: `mcp:files/*`, and `mcp__files__*` as other agents spell it. */
export function isServedName(name: string): boolean {
  return name.startsWith(SERVED) || name.startsWith(SPELLED);
}

/**
 * Reads `mcp:files/*` or `mcp:files/read_file`, also as `mcp__files__*`, `mcp__files` and `mcp__files__read_file`, behind
 * it nothing or `when read-only`; or says what is wrong.
 */
export function readServed(name: string, words: string): ServedRule | string {
  const isSpelled = name.startsWith(SPELLED);
  const [server = '', tool = '', ...more] = isSpelled
    ? spelledParts(name)
    : name.slice(SERVED.length).split('/');
  if (!isMcpServerName(server) || tool === '' || more.length > 0)
    return `\`${name}\` names no tool of a server: \`mcp:files/*\` is all of \`files\`, \`mcp:files/read_file\` one`;
  if (words !== '' && words.split(/[ \t]+/u).join(' ') !== READ_ONLY)
    return `behind \`${name}\` stands nothing, or \`${READ_ONLY}\``;
  const readOnly = words !== '';
  const scope = { server, readOnly, ...(isSpelled && !readOnly && { spelled: name }) };
  if (tool === '*') return { tool: `${server}__*`, ...scope };
  if (tool.includes('*'))
    return `\`${name}\`: a \`*\` stands for all tools of the server, and not for a part of a name`;
  return { tool: mcpToolName(server, tool), ...scope };
}

/** No name of a server has `__`. */
function spelledParts(name: string): readonly string[] {
  const [server = '', ...tool] = name.slice(SPELLED.length).split('__');
  return [server, tool.length === 0 ? '*' : tool.join('__')];
}

/** True for a name, or for one that begins so where the pattern ends with `*`. */
export function fitsName(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

const SPELLED = 'mcp__';

/** The beginning of a name that means a tool of a server. */
const SERVED = 'mcp:';
