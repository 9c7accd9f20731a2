// Invariants:
// P2 No answer is read beyond its first bytes or after its time. Where it goes is `guarded-request.ts`.
// P3 What the other side says is data: a failure tells its status, and none of its words.
import type { IncomingMessage } from 'node:http';

import { errnoOf, messageOf } from '../core/index.js';
import { addressProblem, urlProblem } from './outgoing-address.js';
import type { Lookup } from './guarded-request.js';
import { guardedRequest, Refused } from './guarded-request.js';

/** An HTTP POST request. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Private addresses to which connections are allowed. */
  readonly allow: readonly string[];
}

/** The response, or the reason that there is none. */
export type PostReply =
  | {
      readonly type: 'answered';
      readonly status: number;
      /** The start of the response body. */
      readonly text: string;
      readonly pauseMs?: number;
    }
  | { readonly type: 'failed'; readonly why: string; readonly forGood?: boolean };

/** Posts a request once. Never throws. */
export type Post = (request: PostRequest) => Promise<PostReply>;

/** Dependencies for posting requests. */
export interface PostWorld {
  /** Default: the system's DNS lookup. */
  readonly lookup?: Lookup;
  /** Time limit for the whole request, in milliseconds. Default: 15 s. */
  readonly limitMs?: number;
}

const LIMIT_MS = 15_000;
/** Maximum number of response bytes read. */
const MOST_BYTES = 65_536;

/** Creates a function that posts requests and checks each network address before connecting. */
export function guardedPost({ lookup, limitMs }: PostWorld = {}): Post {
  return (request) =>
    new Promise((resolve) => {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
      const problem = url === undefined ? 'invalid URL' : urlProblem(url);
      if (url === undefined || problem !== undefined) {
        resolve({ type: 'failed', why: problem ?? '', forGood: true });
        return;
      }
      posted(url, request, { ...(lookup && { lookup }), ...(limitMs !== undefined && { limitMs }) }).then(
        resolve,
        () => {
          // Its words would have the header in them, which may be a secret.
          resolve({ type: 'failed', why: 'invalid header or URL', forGood: true });
        },
      );
    });
}

function posted(
  url: URL,
  { headers, body, allow }: PostRequest,
  { lookup, limitMs = LIMIT_MS }: PostWorld,
): Promise<PostReply> {
  const over = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end({ type: 'failed', why: `no answer within ${limitMs / 1_000} s` });
    }, limitMs);
    const end = (reply: PostReply): void => {
      clearTimeout(timer);
      resolve(reply);
      over.abort(); // P2
    };
    const check = (address: string): string | undefined => addressProblem(address, url, { allow });
    guardedRequest({ url, method: 'POST', headers, body, check, lookup, signal: over.signal }).then(
      (response) => {
        readReply(response, end);
      },
      (error: unknown) => {
        if (!(error instanceof Error)) {
          reject(new Error('invalid header'));
          return;
        }
        const isOurs = error instanceof Refused;
        if (!isOurs && UNSENDABLE.includes(errnoOf(error) ?? '')) {
          clearTimeout(timer);
          reject(error);
          return;
        }
        end({
          type: 'failed',
          why: isOurs ? error.message : failureWords(error),
          ...(isOurs && { forGood: true }),
        });
      },
    );
  });
}

/** Node's error codes for an invalid header or URL. */
const UNSENDABLE = [
  'ERR_INVALID_CHAR',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_UNESCAPED_CHARACTERS',
];

function readReply(response: IncomingMessage, end: (reply: PostReply) => void): void {
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
}

/** Converts `Retry-After` from seconds to milliseconds. Dates are not supported. */
function pauseOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/u.test(header) ? Number(header) * 1_000 : undefined;
}

/** Describes a network failure. The URL is left out, because it may contain a secret. */
function failureWords(error: NodeJS.ErrnoException): string {
  return error.code === undefined
    ? `unreachable: ${messageOf(error).slice(0, 80)}`
    : `unreachable (${error.code})`;
}
