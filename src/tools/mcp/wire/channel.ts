import type { AuthProvider, Transport } from '@modelcontextprotocol/client';
import { addressFetch } from './address-fetch.js';
import { ChildTransport } from './child-transport.js';
import type { Sdk } from './sdk.js';
import { transportParts } from './sdk.js';
import type { McpAddress, McpProgram } from './server.js';

/** The channel to a server that is a program; what it writes beside its messages is heard line by line. */
export async function programChannel(
  sdk: Sdk,
  server: McpProgram,
  heard: (line: string) => void,
): Promise<ChildTransport> {
  return new ChildTransport(server, await transportParts(sdk), heard);
}

/** The channel to a server at an address. Keys go to that address alone: nothing is redirected. */
export function addressChannel(sdk: Sdk, { url, headers }: McpAddress, login?: AuthProvider): Transport {
  return new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch: addressFetch,
    requestInit: { headers: { ...headers }, redirect: 'error' },
    ...(login !== undefined && { authProvider: login }),
  });
}
