import { sha256 } from '../data/digest.js';

/**
 * The server of the Model Context Protocol that a tool is of, and what it says of the tool. What it says is a proposal:
 * no call is allowed by it alone.
 */
export interface McpOrigin {
  /** The name that the person gave the server. */
  readonly server: string;
  /** The tool's name there. */
  readonly tool: string;
  /** The program with its arguments, or the address. */
  readonly reached: string;
  /** The title that the server gives it; absent where it gives none. */
  readonly title?: string;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** Providers take no longer name. */
const LONGEST = 64;
const DIGEST = 6;

/** True for the name of a server: no tool of another server can be taken for one of its own. */
export function isMcpServerName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,32}$/u.test(name) && !name.includes('__') && !/^_|_$/u.test(name);
}

/**
 * The name of a server's tool as models and rules know it: `server__tool`. What no provider takes is replaced, and the
 * name ends with a piece of a digest then, so that two names stay two.
 */
export function mcpToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  if (/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) return name;
  const legal = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, LONGEST - DIGEST - 1);
  return `${legal}_${sha256(tool).slice(0, DIGEST)}`;
}

/** The words for what a server says of a tool: `read-only, may destroy`. */
export function mcpHints({ readOnly, destructive, idempotent, openWorld }: McpOrigin): readonly string[] {
  return [
    ...(readOnly === true ? ['read-only'] : []),
    ...(destructive === true ? ['may destroy'] : []),
    ...(idempotent === true ? ['a repeat changes nothing'] : []),
    ...(openWorld === true ? ['reaches outside'] : []),
  ];
}
