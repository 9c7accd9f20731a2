import { BaseAnthropic } from '@anthropic-ai/sdk';

import type { Clock, JsonObject } from '../../core/index.js';
import { UnlessAborted } from '../../core/index.js';
import { namedFetch } from '../../outgoing/named-fetch.js';

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly apiKey: string;
  readonly baseUrl: string;
  /**
   * Whether to send the key in both headers. Some Anthropic-compatible servers read one of the headers, and
   * some read the other.
   */
  readonly keyInBothHeaders: boolean;
  readonly fetch?: typeof globalThis.fetch;
}

/** Time limit for receiving a response's headers, in milliseconds. */
const HEADERS_MS = 10 * 60_000;
/** Time limit for reading to the end of a response after the reply is complete, in milliseconds. */
const DRAIN_MS = 250;
/** Maximum size of an error response's body, in bytes (T18). */
const LONGEST_ERROR = 1_000_000;
const HIGHEST_STATUS = 599;

/**
 * Sends a request and resolves when the response's headers have arrived. `heard` is called when the headers,
 * and each piece of the body, arrive. The caller must close the stream.
 * @throws any error from the SDK.
 */
export async function openStream(
  options: ConnectionOptions,
  body: JsonObject,
  heard: () => void,
  signal: AbortSignal,
): Promise<OpenStream> {
  const { clock } = options;
  const client = clientOf(options, heard);
  const hangUp = new AbortController();
  const either = AbortSignal.any([signal, hangUp.signal]);
  // Not `messages.create`: it warns of old models with `console.warn`. Not the SDK's stream of events: it keeps pings
  // to itself, and takes a promise for each event where a piece of the answer brings hundreds.
  const sent = client.post('/v1/messages', { body, stream: true, signal: either });
  const unlessAborted = new UnlessAborted(either);
  try {
    const response = await unlessAborted.wait(sent.asResponse());
    return new OpenStream(response, { hangUp, unlessAborted, heard, clock });
  } catch (thrown) {
    hangUp.abort(); // Node keeps a signal of several for as long as somebody listens to it
    throw thrown;
  }
}

function clientOf(options: ConnectionOptions, heard: () => void): BaseAnthropic {
  const { apiKey, baseUrl, keyInBothHeaders } = options;
  const send = options.fetch ?? namedFetch;
  return new BaseAnthropic({
    apiKey,
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: HEADERS_MS,
    logLevel: 'off', // it would write into the terminal
    fetch: async (url, init) => {
      // Not to where a redirect leads: `fetch` would take key and conversation along (G33).
      const response = await send(url, { ...init, redirect: 'manual' });
      heard();
      return shortFailure(response);
    },
    ...(keyInBothHeaders && { defaultHeaders: { 'x-api-key': apiKey } }),
  });
}

/** Maximum size of a model list, in bytes (T18). */
const LONGEST_LIST = 4_000_000;

/**
 * Requests the server's list of models. Returns the response text, which is cut off if it is too long.
 * @throws any error from the SDK.
 */
export async function fetchModels(options: ConnectionOptions, signal: AbortSignal): Promise<string> {
  const client = clientOf(options, () => undefined);
  const response = await client.get('/v1/models?limit=1000', { signal }).asResponse();
  return response.body === null ? '' : startOfText(response.body, LONGEST_LIST);
}

/** Time limit for counting tokens, in milliseconds. */
const COUNT_MS = 10_000;
const LONGEST_COUNT = 10_000;

/**
 * Requests a token count and returns the response text.
 * @throws any error from the SDK.
 */
export async function fetchCount(
  options: ConnectionOptions,
  body: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const client = clientOf(options, () => undefined);
  const sent = client.post('/v1/messages/count_tokens', { body, signal, timeout: COUNT_MS });
  const response = await sent.asResponse();
  return response.body === null ? '' : startOfText(response.body, LONGEST_COUNT);
}

/** Limits the size of an error response's body, because the SDK would read all of it. */
async function shortFailure(response: Response): Promise<Response> {
  const { ok, body, status, statusText, headers } = response;
  if (ok || body === null) return response;
  const text = await startOfText(body, LONGEST_ERROR);
  // A status beyond those of HTTP can be received, but not be made.
  return new Response(text, { status: Math.min(status, HIGHEST_STATUS), statusText, headers });
}

async function startOfText(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    bytes += piece.length;
    if (bytes > most) break; // which cancels the body
  }
  return text;
}

interface Line {
  readonly hangUp: AbortController;
  /** Stops waiting if `hangUp` or the caller's signal aborts. */
  readonly unlessAborted: UnlessAborted;
  readonly heard: () => void;
  readonly clock: Clock;
}

/** A response whose body is being received. */
export class OpenStream {
  readonly requestId: string | undefined;
  readonly contentType: string | undefined;
  readonly #pieces: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #line: Line;

  constructor({ headers, body }: Response, line: Line) {
    this.#pieces = body?.getReader();
    this.#line = line;
    this.requestId = headers.get('request-id') ?? undefined;
    this.contentType = headers.get('content-type') ?? undefined;
  }

  /** Returns the next bytes, or `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#pieces === undefined) return undefined;
    const { value } = await this.#line.unlessAborted.wait(this.#pieces.read());
    this.#line.heard();
    return value;
  }

  /** Briefly tries to read the rest of the response, so that the connection can be reused. */
  async drain(): Promise<void> {
    const stop = new AbortController();
    const hurry = this.#closeAfter(DRAIN_MS, stop.signal);
    try {
      while ((await this.next()) !== undefined);
    } catch {
      // The reply is complete: what breaks behind it changes nothing.
    } finally {
      stop.abort();
      await hurry;
    }
  }

  /** Closes the connection if the response has not ended. */
  close(): void {
    this.#line.hangUp.abort();
    // A `fetch` that was handed in may not listen to the signal.
    this.#pieces?.cancel().catch(() => undefined); // it fails where the connection did, which was told
  }

  async #closeAfter(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#line.clock.sleep(ms, signal);
      this.close();
    } catch {
      // Woken because the answer has ended.
    }
  }
}
