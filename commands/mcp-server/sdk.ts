import type * as Server from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';
import { HitlError } from '../../src/core/index.js';

/** The SDK that a server is made of. */
export type ServerSdk = typeof Server & typeof Stdio;

/**
 * Loads the server of the protocol, which is installed beside this package by whoever wants it.
 * @throws HitlError BAD_CONFIG where it is not there.
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
