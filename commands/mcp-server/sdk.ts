import type * as Server from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';
import { HitlError } from '../../src/core/index.js';

/** The MCP server SDK. */
export type ServerSdk = typeof Server & typeof Stdio;

/**
 * Loads the MCP server SDK, an optional peer dependency.
 * @throws HitlError BAD_CONFIG if it is not installed.
 */
export async function loadServerSdk(): Promise<ServerSdk> {
  try {
    const [server, stdio] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    return { ...server, ...stdio };
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', '`hitl mcp` needs an optional package', {
      hint: 'install it next to hitl: npm install @modelcontextprotocol/server@2',
      cause,
    });
  }
}
