// Invariants:
// P1 The address that is looked at is the one that is connected to: a name is resolved once, and the connection gets
//    what was looked at; what is connected in the end is looked at again.
// P2 Nothing follows a redirect, and no answer is read beyond its first bytes or after its time.
// P3 What the other side says is data: a failure tells its status, and none of its words.
import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';

import { messageOf } from '../core/index.js';
import { addressProblem, urlProblem } from './address.js';

/** A request that is posted. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Private addresses that may be connected to. */
  readonly allow: readonly string[];
}

/** The other side's answer, or why there is none. */
export type PostReply =
  | {
      readonly type: 'answered';
      readonly status: number;
      /** The beginning of its text. */
      readonly text: string;
      readonly pauseMs?: number;
    }
  | { readonly type: 'failed'; readonly why: string; readonly forGood?: boolean };

/** Posts a request once. Nothing is thrown. */
export type Post = (request: PostRequest) => Promise<PostReply>;

/** Finds the addresses of a name, as `dns.lookup` does with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The world of a post. */
export interface PostWorld {
  /** Default: that of this machine. */
  readonly lookup?: Lookup;
  /** The time for all of it, in milliseconds. Default 15 s. */
  readonly limitMs?: number;
}

const LIMIT_MS = 15_000;
/** Bytes of an answer that are read. */
const MOST_BYTES = 65_536;

/** A refusal of ours: it would be the same the next time. */
class Refused extends Error {}

/** Makes the function that posts, guarded against where an address may lead. */
export function guardedPost({ lookup = systemLookup, limitMs = LIMIT_MS }: PostWorld = {}): Post {
  return (request) =>
    new Promise((resolve) => {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
      const problem = url === undefined ? 'the address cannot be read' : urlProblem(url);
      if (url === undefined || problem !== undefined) {
        resolve({ type: 'failed', why: problem ?? '', forGood: true });
        return;
      }
      const refuse = (address: string): Refused | undefined => {
        const why = addressProblem(address, url, request);
        return why === undefined ? undefined : new Refused(why);
      };
      const literal = url.hostname.replace(/^\[|\]$/gu, '');
      const early = isIP(literal) === 0 ? undefined : refuse(literal); // no name, so nothing is looked up
      if (early !== undefined) {
        resolve({ type: 'failed', why: early.message, forGood: true });
        return;
      }
      posted(url, request, { refuse, lookup, limitMs }).then(resolve, () => {
        // Its words would have the header in them, which may be a secret.
        resolve({ type: 'failed', why: 'a header or the address cannot be sent', forGood: true });
      });
    });
}

interface Guarded extends Required<PostWorld> {
  readonly refuse: (address: string) => Refused | undefined;
}

function posted(url: URL, { headers, body }: PostRequest, world: Guarded): Promise<PostReply> {
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve) => {
    const sent = send(url, {
      method: 'POST',
      agent: false, // a connection of its own, which is looked at
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: (hostname, options, done) => {
        checkedLookup(hostname, options, world, done);
      },
    });
    const over = setTimeout(() => {
      end({ type: 'failed', why: `no answer within ${world.limitMs / 1_000} s` });
    }, world.limitMs);
    const end = (reply: PostReply): void => {
      clearTimeout(over);
      resolve(reply);
      sent.destroy(); // P2
    };
    sent.on('socket', (socket) => {
      socket.once('connect', () => {
        const refused = world.refuse(socket.remoteAddress ?? ''); // P1
        if (refused !== undefined) sent.destroy(refused);
      });
    });
    sent.on('error', (error) => {
      const isOurs = error instanceof Refused;
      end({
        type: 'failed',
        why: isOurs ? error.message : failureWords(error),
        ...(isOurs && { forGood: true }),
      });
    });
    sent.on('response', (response) => {
      let text = '';
      let bytes = 0;
      const answered = (): void => {
        const { statusCode: status = 0 } = response;
        const pauseMs = pauseOf(response.headers['retry-after']);
        end({ type: 'answered', status, text, ...(pauseMs !== undefined && { pauseMs }) });
      };
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MOST_BYTES) text += chunk.toString('utf8');
        else answered();
      });
      response.on('end', answered);
      response.on('error', answered); // its status was said
    });
    sent.end(body);
  });
}

/** Looks a name up, and gives only addresses that may be connected to; where there is one that may not, none (P1). */
function checkedLookup(
  hostname: string,
  options: LookupOptions,
  { lookup, refuse }: Guarded,
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
    else if (first === undefined) done(new Error('the name has no address'), '');
    else if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
}

/** `Retry-After` in milliseconds: a number of seconds; a date is not read. */
function pauseOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/u.test(header) ? Number(header) * 1_000 : undefined;
}

/** The kind of a failure of the network. Its address is known to whoever named it, and may be a secret. */
function failureWords(error: NodeJS.ErrnoException): string {
  return error.code === undefined
    ? `it could not be reached: ${messageOf(error).slice(0, 80)}`
    : `it could not be reached (${error.code})`;
}
