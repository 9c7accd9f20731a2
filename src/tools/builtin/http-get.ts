import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import type { Lookup } from '../../outgoing/guarded-request.js';
import { guardedRequest } from '../../outgoing/guarded-request.js';

const HEADERS = {
  accept: 'text/*, application/json, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'hitl',
};

/** Requests a resource only from the given addresses of its host, without resolving the name again. */
export async function httpGet(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const list = new BlockList();
  for (const address of addresses) list.addAddress(address.replace(/%.*$/u, ''), familyOf(address));
  const check = (address: string): string | undefined =>
    list.check(address.replace(/%.*$/u, ''), familyOf(address)) ? undefined : `${address} was not checked`;
  return guardedRequest({ url, method: 'GET', headers: HEADERS, check, lookup: only(addresses), signal });
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function only(addresses: readonly string[]): Lookup {
  return (_name, _options, done) => {
    done(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  };
}

/**
 * Returns the decompressed response, or `undefined` if the response has an encoding that was not requested.
 */
export function unpacked(response: IncomingMessage): Readable | undefined {
  const unpack = unpackerFor(response.headers['content-encoding'] ?? 'identity');
  if (unpack === undefined) return undefined;
  // What breaks on the way ends the reading of the last stream.
  return unpack === 'none' ? response : pipeline(response, unpack, () => undefined);
}

function unpackerFor(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case 'identity':
    case '':
      return 'none';
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
