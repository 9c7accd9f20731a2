import type * as Server from '@modelcontextprotocol/server';
import type { serveStdio } from '@modelcontextprotocol/server/stdio';
import { HitlError } from '../../src/core/index.js';

/** The parts of the SDK that a server is made of. */
export interface ServerSdk extends Pick<
  typeof Server,
  | 'McpServer'
  | 'createRequestStateCodec'
  | 'fromJsonSchema'
  | 'inputRequired'
  | 'CLIENT_INFO_META_KEY'
  | 'CLIENT_CAPABILITIES_META_KEY'
> {
  readonly serveStdio: typeof serveStdio;
}

/**
 * Loads the server of the protocol, which is installed beside this package by whoever wants it.
 * @throws HitlError BAD_CONFIG where it is not there.
 */
export async function loadServerSdk(): Promise<ServerSdk> {
  try {
    const [sdk, { serveStdio }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    const { McpServer, createRequestStateCodec, fromJsonSchema, inputRequired } = sdk;
    const { CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY } = sdk;
    return {
      McpServer,
      createRequestStateCodec,
      fromJsonSchema,
      inputRequired,
      CLIENT_INFO_META_KEY,
      CLIENT_CAPABILITIES_META_KEY,
      serveStdio,
    };
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', '`hitl mcp` needs a package that is not here', {
      hint: 'install it beside this one: npm install @modelcontextprotocol/server@2.4.0',
      cause,
    });
  }
}
