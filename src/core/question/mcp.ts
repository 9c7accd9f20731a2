import { sha256 } from '../data/digest.js';

/** A tool's MCP server, and its annotations. An annotation alone never allows a call. */
export interface McpOrigin {
  /** The server's configured name. */
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  /** The program with its arguments, or the URL. */
  readonly reached: string;
  /** The server's title of the tool; absent if it has none. */
  readonly title?: string;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** Providers' limit for tool names. */
const LONGEST = 64;
const DIGEST = 6;

/** Whether a server name is valid: unambiguous as a prefix of its tools' names. */
export function isMcpServerName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,32}$/u.test(name) && !name.includes('__') && !/^_|_$/u.test(name);
}

/**
 * The name of a server's tool for models and rules: `server__tool`. Characters that no provider accepts are
 * replaced; the name then ends with part of a digest, so that different names stay different.
 */
export function mcpToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  if (/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) return name;
  const legal = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, LONGEST - DIGEST - 1);
  return `${legal}_${sha256(tool).slice(0, DIGEST)}`;
}

/** Formats a server's annotations of a tool: `read-only, may destroy`. */
export function mcpHints({ readOnly, destructive, idempotent, openWorld }: McpOrigin): readonly string[] {
  return [
    ...(readOnly === true ? ['read-only'] : []),
    ...(destructive === true ? ['may destroy'] : []),
    ...(idempotent === true ? ['a repeat changes nothing'] : []),
    ...(openWorld === true ? ['reaches outside'] : []),
  ];
}
