import type { StoreChange } from '../../core/index.js';
import { eventMessage } from '../json.js';

/** Silence before a comment is sent, in milliseconds: proxies close silent connections. */
const BEAT_MS = 15_000;

/** Messages buffered for a slow reader; further hints are dropped. */
const MOST_WAITING = 1_000;

/** A response of server-sent events: a message whenever something happens in the store. */
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
