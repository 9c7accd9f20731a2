import type { StoreChange } from '../../core/index.js';
import { eventMessage } from '../json.js';

/** Idle time, in milliseconds, after which a comment is sent, because proxies close idle connections. */
const BEAT_MS = 15_000;

/** Maximum number of messages buffered for a slow reader. Further messages are dropped. */
const MOST_WAITING = 1_000;

/** Returns a stream of server-sent events, with one message per change in the store. */
export function changeStream(changes: (signal: AbortSignal) => AsyncIterable<StoreChange>): Response {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  let beat: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string): void => {
        const waiting = -(controller.desiredSize ?? 0);
        if (!gone.signal.aborted && waiting < MOST_WAITING) controller.enqueue(encoder.encode(text));
      };
      send(':\n\n');
      beat = setInterval(() => {
        send(':\n\n');
      }, BEAT_MS);
      beat.unref();
      void sendAll(changes(gone.signal), send).then(() => {
        clearInterval(beat);
        if (!gone.signal.aborted) controller.close();
      });
    },
    cancel() {
      clearInterval(beat);
      gone.abort();
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}

async function sendAll(changes: AsyncIterable<StoreChange>, send: (text: string) => void): Promise<void> {
  for await (const change of changes) send(eventMessage(change));
}
