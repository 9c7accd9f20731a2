import type { IncomingMessage } from 'node:http';

import { httpGet } from './http-get.js';
import { readBody } from './read-body.js';

export { addressesOf } from './resolve-host.js';

/** Fetches what an address gives, from the given addresses of its host. A redirect is told. */
export async function fetchText(url: URL, addresses: readonly string[], signal: AbortSignal) {
  const response = await httpGet(url, addresses, signal);
  try {
    const status = response.statusCode ?? 0;
    const target = redirectTarget(response, url);
    if (target !== undefined) {
      const note = 'redirects are not followed; fetch the other address by itself if it is wanted';
      return { url: url.href, status, redirectedTo: target.href, note };
    }
    return { url: url.href, status, ...(await readBody(response, signal)) };
  } finally {
    response.destroy();
  }
}

function redirectTarget({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  const { location } = headers;
  if (statusCode < 300 || statusCode > 399 || location === undefined) return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
}
