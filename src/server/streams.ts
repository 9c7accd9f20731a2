import { count } from '../core/index.js';
import type { Visitor } from './doors/visitor.js';
import { refusal } from './json.js';

/** Maximum number of open streams per visitor, which is enough for a browser with many tabs. */
const MOST_STREAMS = 32;
/** How long a client should wait before it opens another stream, in seconds. */
const AGAIN_S = 5;

/** Counts the open streams of each visitor. */
export class Streams {
  readonly #open = new Map<string, number>();

  /** Opens a stream for a visitor, or refuses if the visitor has too many open. */
  async open(visitor: Visitor, make: () => Promise<Response> | Response): Promise<Response> {
    const key =
      visitor.identity === undefined
        ? visitor.name
        : JSON.stringify([visitor.identity.issuer, visitor.identity.subject]);
    const open = this.#open.get(key) ?? 0;
    if (open >= MOST_STREAMS)
      return refusal(429, 'BUSY', `${visitor.name} has ${count(open, 'stream')} open, the maximum`, {
        hint: 'close one, or use /v1/stream, which reports every change',
        headers: { 'retry-after': `${AGAIN_S}` },
      });
    this.#open.set(key, open + 1);
    const close = (): void => {
      const left = (this.#open.get(key) ?? 1) - 1;
      if (left === 0) this.#open.delete(key);
      else this.#open.set(key, left);
    };
    try {
      return whenClosed(await make(), close);
    } catch (thrown) {
      close();
      throw thrown;
    }
  }
}

/** Calls `closed` once the body of a response has been read to its end or abandoned. */
function whenClosed(response: Response, closed: () => void): Response {
  const { body, status, headers } = response;
  if (body === null) {
    closed();
    return response;
  }
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read().catch((thrown: unknown) => {
        closed();
        throw thrown;
      });
      if (!done) {
        controller.enqueue(value);
        return;
      }
      closed();
      controller.close();
    },
    cancel: async (reason) => {
      closed();
      await reader.cancel(reason);
    },
  });
  return new Response(watched, { status, headers });
}
