import { HitlError } from '../core/index.js';
import { addressProblem, urlProblem } from './outgoing-address.js';
import type { AddressRule } from './outgoing-address.js';
import type { Lookup } from './guarded-request.js';
import { guardedRequest, Refused } from './guarded-request.js';

/** The subset of `fetch` that third-party clients need. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Status codes of responses without a body. */
const EMPTY = [204, 205, 304];
const HIGHEST_STATUS = 599;

/**
 * Creates a `fetch` function that refuses addresses forbidden by the rule and does not follow redirects. It
 * can send text, forms and bytes.
 * @throws HitlError TOOL_FAILED for a refused address
 */
export function guardedFetch(rule: AddressRule, lookup?: Lookup): Fetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    const problem = urlProblem(url);
    if (problem !== undefined) throw refused(url, problem);
    const given = new Request(url, { method: init.method ?? 'GET', headers: init.headers ?? {} });
    const { body } = init;
    const isForm = body instanceof URLSearchParams;
    if (isForm && !given.headers.has('content-type'))
      given.headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    if (
      body !== undefined &&
      body !== null &&
      !isForm &&
      typeof body !== 'string' &&
      !(body instanceof Uint8Array)
    )
      throw new TypeError('only text, forms or bytes can be sent');
    const message = await guardedRequest({
      ...{ url, lookup, method: given.method, headers: Object.fromEntries(given.headers) },
      ...(body !== undefined && body !== null && { body: isForm ? body.toString() : body }),
      check: (found) => addressProblem(found, url, rule),
      signal: init.signal ?? new AbortController().signal,
    }).catch((thrown: unknown) => {
      throw thrown instanceof Refused ? refused(url, thrown.message) : thrown;
    });
    const { statusCode = 0 } = message;
    if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
      message.destroy();
      throw refused(url, 'redirect not followed');
    }
    const headers = new Headers();
    for (const [name, values] of Object.entries(message.headersDistinct))
      for (const value of values ?? []) headers.append(name, value);
    const answer = { status: Math.min(statusCode, HIGHEST_STATUS), headers };
    if (EMPTY.includes(statusCode)) {
      message.resume();
      return new Response(null, answer);
    }
    const pieces: AsyncIterator<unknown, unknown> = message[Symbol.asyncIterator]();
    return new Response(
      new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          else if (value instanceof Uint8Array) controller.enqueue(value);
        },
        cancel: () => {
          message.destroy();
        },
      }),
      answer,
    );
  };
}

function refused({ host }: URL, why: string): HitlError {
  return new HitlError('TOOL_FAILED', `\`${host}\` not contacted: ${why}`);
}
