import { sha256 } from '../data/digest.js';

/**
 * The server that an MCP tool comes from, and the tool's annotations. An annotation alone never allows a
 * call.
 */
export interface McpOrigin {
  /** The server's name in the configuration. */
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  /** The program with its arguments, or the URL, that is used to connect to the server. */
  readonly reached: string;
  /** The tool's title on the server; absent if it has none. */
  readonly title?: string;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** Maximum length of a tool name that all providers accept. */
const LONGEST = 64;
const DIGEST = 6;

/** Whether a server name is valid, and unambiguous as a prefix of tool names. */
export function isMcpServerName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,32}$/u.test(name) && !name.includes('__') && !/^_|_$/u.test(name);
}

/**
 * Returns the name of an MCP tool for models and rules: `server__tool`. Characters that some provider would
 * reject are replaced. In that case, the name ends with part of a digest, so that different tools keep
 * different names.
 */
export function mcpToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  if (/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) return name;
  const legal = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, LONGEST - DIGEST - 1);
  return `${legal}_${sha256(tool).slice(0, DIGEST)}`;
}

/** Formats the server's annotations for a tool: `read-only, may destroy`. */
export function mcpHints({ readOnly, destructive, idempotent, openWorld }: McpOrigin): readonly string[] {
  return [
    ...(readOnly === true ? ['read-only'] : []),
    ...(destructive === true ? ['may destroy'] : []),
    ...(idempotent === true ? ['a repeat changes nothing'] : []),
    ...(openWorld === true ? ['reaches outside'] : []),
  ];
}
