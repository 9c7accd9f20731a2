// Invariants:
// F1 No answer is read without end: what is larger than the largest message ends the answer.
// F2 A request whose stream ends without an answer is told so at once, where nothing goes on with that stream.
// F3 A stream on which a server tells of changes says when it opens and ends: what is told between is lost.
import type { Fetch } from '../../../outgoing/guarded-fetch.js';
import { guardedFetch } from '../../../outgoing/guarded-fetch.js';
import type { McpAddress } from './mcp-server.js';
import { LARGEST_MESSAGE, tooLarge } from './message-lines.js';

/** Code of the error that hitl creates if a response stream ends before the reply. */
export const CUT_OFF = -32_099;

const NEWLINE = 0x0a;

/**
 * Creates a `fetch` function for the URL of a server. It limits the size of responses, and reports a stream
 * that ends without a reply (F1, F2).
 * @param heard called when a change stream opens or ends (F3).
 */
export function addressFetch({ url, allow = [] }: McpAddress, heard: (isOpen: boolean) => void): Fetch {
  const send = guardedFetch({ allow, named: new URL(url).hostname });
  return async (address, init) => watched(await send(address, init), init, heard);
}

function watched(
  response: Response,
  init: RequestInit | undefined,
  heard: (isOpen: boolean) => void,
): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  if (headers.get('content-type')?.includes('text/event-stream') !== true)
    return new Response(wholeOf(body), { status, statusText, headers });
  const tellsChanges = init?.method === 'GET';
  if (tellsChanges) heard(true);
  const pieces = eventsOf(body, idOf(init?.body), () => {
    if (tellsChanges) heard(false);
  });
  return new Response(pieces, { status, statusText, headers });
}

/** Returns the ID in a request body, or `undefined` for a notification or an invalid body. */
function idOf(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  if (typeof message !== 'object' || message === null || !('id' in message)) return undefined;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : undefined;
}

function wholeOf(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let length = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        length += piece.length;
        if (length > LARGEST_MESSAGE) throw tooLarge();
        controller.enqueue(piece);
      },
    }),
  );
}

/**
 * Passes on an event stream. Adds an error reply at its end unless its events had IDs, because the SDK
 * requests a stream with event IDs again (F2).
 */
function eventsOf(
  body: ReadableStream<Uint8Array>,
  id: string | number | undefined,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const line = new EventLine();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value } = await reader.read();
        if (value !== undefined) {
          line.read(value);
          controller.enqueue(value);
          return;
        }
      } catch (thrown) {
        ended();
        void reader.cancel().catch(() => undefined); // it is over already
        if (id === undefined || line.hasIds) {
          controller.error(thrown);
          return;
        }
      }
      ended();
      if (id !== undefined && !line.hasIds) controller.enqueue(cutOff(id));
      controller.close();
    },
    cancel(reason) {
      ended();
      return reader.cancel(reason);
    },
  });
}

/** Scans the lines of an event stream for IDs, and limits their length. */
class EventLine {
  /** Whether any event had an ID. */
  hasIds = false;
  #length = 0;
  #begin = '';

  /** @throws Error for a line longer than LARGEST_MESSAGE bytes. */
  read(piece: Uint8Array): void {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      this.#add(piece.subarray(from, end));
      this.#length = 0;
      this.#begin = '';
      from = end + 1;
    }
    this.#add(piece.subarray(from));
  }

  #add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > LARGEST_MESSAGE) throw tooLarge();
    if (this.#begin.length < 3) this.#begin += Buffer.from(piece.subarray(0, 3)).toString('latin1');
    if (this.#begin.startsWith('id:')) this.hasIds = true;
  }
}

function cutOff(id: string | number): Uint8Array {
  const error = { code: CUT_OFF, message: 'the answer was cut off' };
  return Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`);
}
