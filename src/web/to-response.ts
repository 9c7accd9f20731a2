import type { LiveEvent, WireEvent } from '../core/index.js';
import { safeJson } from '../core/data/safe-json.js';
import { problemOf } from '../core/told/http-problem.js';

/** The headers and heartbeat of `toResponse`. */
export interface ToResponseOptions {
  /** Additional or replacing headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Silence after which a comment is sent, so that no proxy closes the connection. Default 15,000. */
  readonly heartbeatMs?: number;
}

/**
 * Creates a response of server-sent events: `toResponse(chat.say(text))`. A stored event's id is its number, so that
 * a client can continue: `chat.events({ after })`. A client that disconnects does not stop the run. The run's failure
 * is the last message, without a stack.
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

/** Formats an event as JSON without line breaks and terminal controls: streams are read with `curl`, too. */
function messageOf(event: WireEvent): string {
  const id = 'seq' in event ? `id: ${event.seq}\n` : '';
  return `${id}data: ${safeJson(event)}\n\n`;
}
