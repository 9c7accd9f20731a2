import type { Renderer, SessionEvent, SessionId, StreamEvent, TransientEvent } from '../core/index.js';
import type { Output } from './output.js';
import { safeJson, withoutKept, shown } from '../core/index.js';

export interface JsonLinesRendererOptions {
  readonly stdout: Output;
  readonly session: SessionId;
  /** Returns the time in ISO 8601, used as the `at` of durable events. If absent, events have no `at`. */
  readonly now?: () => string;
}

/** Writes each event as one JSON line: `{session, seq, at, type, ...}`. Transient events have no `seq`. */
export function createJsonLinesRenderer({ stdout, session, now }: JsonLinesRendererOptions): Renderer {
  const write = (line: StreamEvent): void => {
    stdout.write(shown`${safeJson(line)}\n`);
  };
  return {
    event(event: SessionEvent, seq: number) {
      write({ session, seq, ...(now !== undefined && { at: now() }), ...told(event) });
    },
    transient(event: TransientEvent) {
      write({ session, ...told(event) });
    },
    notice(text: string) {
      write({ session, type: 'notice', text });
    },
    pause: () => undefined,
    stopped: () => undefined,
  };
}

/** Returns the event without private tool data. */
function told<Event extends SessionEvent | TransientEvent>(event: Event): Event {
  return event.type === 'interrupt-raised' || event.type === 'interrupt-open'
    ? { ...event, interrupt: withoutKept(event.interrupt) }
    : event;
}
