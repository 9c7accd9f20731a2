import Anthropic from '@anthropic-ai/sdk';

import type { Clock, JsonObject } from '../../core/index.js';
import { orAborted } from '../or-aborted.js';

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Servers other than Anthropic's look for the key in one of two headers. */
  readonly keyInBothHeaders: boolean;
  readonly fetch?: typeof fetch;
}

/** How long the headers of an answer may take. */
const HEADERS_MS = 10 * 60_000;
/** How long the end of an answer may take that is complete. */
const DRAIN_MS = 250;

/**
 * Sends a request and returns once the headers of its answer are there. `heard` is called with every piece that
 * comes, pings included, which the SDK keeps to itself. Close what it returns.
 * @throws what the SDK throws.
 */
export async function openStream(
  options: ConnectionOptions,
  body: JsonObject,
  heard: () => void,
  signal: AbortSignal,
): Promise<OpenStream> {
  const { apiKey, baseUrl, keyInBothHeaders, clock } = options;
  const send = options.fetch ?? fetch;
  const client = new Anthropic({
    apiKey,
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: HEADERS_MS,
    logLevel: 'off', // it would write into the terminal
    fetch: async (url, init) => listenedTo(await send(url, init), heard),
    ...(keyInBothHeaders && { defaultHeaders: { 'x-api-key': apiKey } }),
  });
  const hangUp = new AbortController();
  const either = AbortSignal.any([signal, hangUp.signal]);
  // Not `messages.create`: it warns of old models with `console.warn`.
  const request = { body, stream: true, signal: either };
  const sent = client.post<AsyncIterable<unknown>>('/v1/messages', request);
  const { data, response } = await orAborted(sent.withResponse(), either);
  const events = data[Symbol.asyncIterator]();
  return new OpenStream(events, response.headers, { hangUp, signal: either, clock });
}

interface Line {
  readonly hangUp: AbortController;
  /** Aborts with `hangUp`, and with the signal of the one who asks. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** An answer whose events are still to come, parsed but not checked. */
export class OpenStream {
  readonly requestId: string | undefined;
  readonly contentType: string | undefined;
  readonly #events: AsyncIterator<unknown>;
  readonly #line: Line;

  constructor(events: AsyncIterator<unknown>, headers: Headers, line: Line) {
    this.#events = events;
    this.#line = line;
    this.requestId = headers.get('request-id') ?? undefined;
    this.contentType = headers.get('content-type') ?? undefined;
  }

  async next(): Promise<IteratorResult<unknown>> {
    return orAborted(this.#events.next(), this.#line.signal);
  }

  /** Reads on to the end, so that the connection can serve the next request; for a moment only. */
  async drain(): Promise<void> {
    const stop = new AbortController();
    const hurry = this.#closeAfter(DRAIN_MS, stop.signal);
    try {
      while ((await this.next()).done !== true);
    } catch {
      // The reply is complete: what breaks behind it changes nothing.
    } finally {
      stop.abort();
      await hurry;
    }
  }

  /** Ends the connection if the answer has not ended. */
  close(): void {
    this.#line.hangUp.abort();
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

function listenedTo(response: Response, heard: () => void): Response {
  heard();
  if (response.body === null) return response;
  const listener = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      heard();
      controller.enqueue(piece);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(listener), { status, statusText, headers });
}
