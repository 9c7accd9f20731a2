// Invariants:
// P1 The address that is looked at is the one that is connected to: a name is resolved once, and the connection gets
//    what was looked at; what is connected in the end is looked at again.
// P2 Nothing follows a redirect.
// P3 This is the one place that connects to an address that somebody else may have named: lint refuses every other.
import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';

/** Looks up a host name's addresses, like `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Returns the reason that a network address is refused; `undefined` if it is allowed. */
export type AddressCheck = (address: string) => string | undefined;

/** A request to a URL whose addresses are checked before connecting. */
export interface GuardedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly check: AddressCheck;
  /** Default: the system's DNS lookup. */
  readonly lookup?: Lookup | undefined;
  readonly signal: AbortSignal;
}

/** Thrown if hitl itself refuses a request. Retrying would have the same result. */
export class Refused extends Error {}

/**
 * Sends a request and returns its response once the headers have arrived. The caller must destroy the
 * response after reading it; otherwise the connection stays open.
 * @throws Refused for a refused address; network errors
 */
export function guardedRequest(request: GuardedRequest): Promise<IncomingMessage> {
  const { url, method, headers, body, signal, check } = request;
  const refuse = (address: string): Refused | undefined => {
    const why = check(address);
    return why === undefined ? undefined : new Refused(why);
  };
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const literal = url.hostname.replace(/^\[|\]$/gu, '');
    const early = isIP(literal) === 0 ? undefined : refuse(literal); // no name, so nothing is looked up
    if (early !== undefined) {
      reject(early);
      return;
    }
    const sent = send(url, {
      method,
      signal,
      agent: false, // a connection of its own, which is looked at
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      lookup: (hostname, options, done) => {
        checkedLookup(hostname, options, { refuse, lookup: request.lookup ?? systemLookup }, done);
      },
    });
    sent.on('socket', (socket) => {
      socket.once('connect', () => {
        const refused = refuse(socket.remoteAddress ?? ''); // P1
        if (refused !== undefined) sent.destroy(refused);
      });
    });
    sent.on('error', reject);
    sent.on('response', resolve); // P2
    sent.end(body);
  });
}

interface LookingUp {
  readonly refuse: (address: string) => Refused | undefined;
  readonly lookup: Lookup;
}

/** Looks up a name and returns its addresses only if all of them are allowed (P1). */
function checkedLookup(
  hostname: string,
  options: LookupOptions,
  { lookup, refuse }: LookingUp,
  done: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      done(error, '');
      return;
    }
    const [first] = addresses;
    const refused = addresses.map(({ address }) => refuse(address)).find((one) => one !== undefined);
    if (refused !== undefined) done(refused, '');
    else if (first === undefined) done(new Error('the host name has no address'), '');
    else if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
}
