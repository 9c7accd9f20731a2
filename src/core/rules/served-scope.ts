import type { McpOrigin } from '../agent/index.js';
import { isMcpServerName, mcpToolName } from '../agent/index.js';

/** The tools of a server of the Model Context Protocol that a rule is about. */
export interface ServedScope {
  /** As the person named it. */
  readonly server: string;
  /** Only tools of which the server says that they only read: the rule takes its word for it. */
  readonly readOnly: boolean;
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

/** Reads `mcp:files/*` or `mcp:files/read_file`, behind it nothing or `when read-only`; or says what is wrong. */
export function readServed(name: string, words: string): ServedRule | string {
  const [server = '', tool = '', ...more] = name.slice(SERVED.length).split('/');
  if (!isMcpServerName(server) || tool === '' || more.length > 0)
    return `\`${name}\` names no tool of a server: \`mcp:files/*\` is all of \`files\`, \`mcp:files/read_file\` one`;
  if (words !== '' && words.split(/[ \t]+/u).join(' ') !== READ_ONLY)
    return `behind \`${name}\` stands nothing, or \`${READ_ONLY}\``;
  const readOnly = words !== '';
  if (tool === '*') return { tool: `${server}__*`, server, readOnly };
  if (tool.includes('*'))
    return `\`${name}\`: a \`*\` stands for all tools of the server, and not for a part of a name`;
  return { tool: mcpToolName(server, tool), server, readOnly };
}

/** The beginning of a name that means a tool of a server. */
export const SERVED = 'mcp:';
