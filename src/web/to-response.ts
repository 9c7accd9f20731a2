import type { LiveEvent, WireEvent } from '../core/index.js';
import { safeJson } from '../core/data/safe-json.js';
import { problemOf } from '../core/told/http-problem.js';

/** Options for `toResponse`: headers and heartbeat. */
export interface ToResponseOptions {
  /** Headers to add or replace. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Idle time, in milliseconds, after which a comment is sent so that proxies do not close the connection.
   * Default: 15,000.
   */
  readonly heartbeatMs?: number;
}

/**
 * Creates a response with server-sent events: `toResponse(chat.say(text))`. The ID of a stored event is its
 * number, so that a client can continue after it with `chat.events({ after })`. If the client disconnects,
 * the run continues. If the run fails, the last message is its error, without a stack trace.
 */
export function toResponse(
  events: AsyncIterable<LiveEvent>,
  { headers = {}, heartbeatMs = 15_000 }: ToResponseOptions = {},
): Response {
  return new Response(streamOf(events[Symbol.asyncIterator](), heartbeatMs), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
}

function streamOf(events: AsyncIterator<LiveEvent>, heartbeatMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<LiveEvent, unknown>> | undefined;
  return new ReadableStream({
    async pull(controller) {
      try {
        next ??= events.next();
        const step = await orSilence(next, heartbeatMs);
        if (step === 'silence') {
          controller.enqueue(encoder.encode(':\n\n'));
          return;
        }
        next = undefined;
        if (step.done === true) controller.close();
        else controller.enqueue(encoder.encode(messageOf(step.value)));
      } catch (thrown) {
        controller.enqueue(encoder.encode(messageOf({ type: 'failed', error: problemOf(thrown).error })));
        controller.close();
      }
    },
    cancel() {
      events.return?.().then(undefined, () => undefined); // it may come to an end only with the next event
    },
  });
}

async function orSilence<T>(step: Promise<T>, ms: number): Promise<T | 'silence'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(() => {
      resolve('silence');
    }, ms);
  });
  try {
    return await Promise.race([step, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Formats an event as JSON without line breaks or terminal control characters, because a stream may also be
 * read with `curl`.
 */
function messageOf(event: WireEvent): string {
  const id = 'seq' in event ? `id: ${event.seq}\n` : '';
  return `${id}data: ${safeJson(event)}\n\n`;
}
