import type * as Client from '@modelcontextprotocol/client';
import { HitlError } from '../../core/index.js';
import type { TransportParts } from './child-transport.js';

/** The parts of the SDK that are used here. */
export type Sdk = Pick<
  typeof Client,
  | 'Client'
  | 'auth'
  | 'OAuthError'
  | 'extractWWWAuthenticateParams'
  | 'ReadBuffer'
  | 'serializeMessage'
  | 'StreamableHTTPClientTransport'
  | 'ProtocolError'
  | 'SdkHttpError'
  | 'isInputRequiredResult'
  | 'isCallToolResult'
>;

/**
 * Loads the client of the protocol, which is installed beside this package by whoever wants it.
 * @throws HitlError BAD_CONFIG where it is not there.
 */
export async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (cause) {
    throw new HitlError(
      'BAD_CONFIG',
      'servers of the Model Context Protocol need a package that is not here',
      {
        hint: 'install it beside this one: npm install @modelcontextprotocol/client@2.4.0',
        cause,
      },
    );
  }
}

/** Gives the parts of the SDK that a channel to a program is made of. */
export async function transportParts({ ReadBuffer, serializeMessage }: Sdk): Promise<TransportParts> {
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  return { buffer: new ReadBuffer(), serialize: serializeMessage, environment: getDefaultEnvironment };
}
