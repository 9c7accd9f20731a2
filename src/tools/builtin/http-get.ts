import type { IncomingMessage } from 'node:http';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const HEADERS = {
  accept: 'text/*, application/json, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'hitl',
};

/** Asks for a resource at given addresses of its host and at no other: its name is not resolved again. */
export async function httpGet(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const options = { headers: HEADERS, agent: false, lookup: only(addresses), signal };
    send(url, options, resolve).on('error', reject).end();
  });
}

function only(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, callback) => {
    const [first] = known;
    if (first === undefined) callback(new Error('it has no address'), '');
    else if (all === true) callback(null, known);
    else callback(null, first.address, first.family);
  };
}

/** Unpacks a response; `undefined` where it is packed in a way that nobody asked for. */
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
