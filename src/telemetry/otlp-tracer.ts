import type { EndedSpan, SpanPlace } from './otlp-body.js';
import type { Collector } from './span-sender.js';
import { SpanSender } from './span-sender.js';
import type { Attributes, Tracer, TraceSpan } from './tracer.js';

/** Options for `otlpTracer`. */
export interface OtlpOptions extends Collector {
  /** Returns the given number of random bytes, for example `randomBytes` from `node:crypto`. */
  readonly random: (size: number) => Uint8Array;
}

/** A span of `otlpTracer`, with its position in the trace, so that child spans can refer to it. */
export interface OtlpSpan extends TraceSpan {
  readonly place: SpanPlace;
}

/** A tracer that sends spans to a collector without the OpenTelemetry packages. */
export interface OtlpTracer extends Tracer {
  /** @param around the parent span or its position; if absent, the span starts a new trace */
  startSpan(
    name: string,
    options?: { readonly attributes?: Attributes },
    around?: OtlpSpan | SpanPlace,
  ): OtlpSpan;
  /** Sends the remaining spans, waiting at most the given time. Never rejects. */
  flush(patienceMs: number): Promise<void>;
}

/**
 * Creates a tracer that sends finished spans over OTLP/HTTP as JSON, in batches. Only `flush` waits for the
 * spans to be sent. To use it with `traceRun`, pass `{ tracer, within: (span) => span }`.
 * @throws HitlError BAD_CONFIG if headers would be sent to another machine over HTTP without `allowHttp`
 */
export function otlpTracer({ random, ...collector }: OtlpOptions): OtlpTracer {
  const sender = new SpanSender(collector);
  const now = (): number => collector.clock.now();
  const digits = (size: number): string => Buffer.from(random(size)).toString('hex');
  return {
    startSpan: (name, { attributes = {} } = {}, around) => {
      const context = around !== undefined && 'place' in around ? around.place : around;
      const place = { traceId: context?.traceId ?? digits(16), spanId: digits(8) };
      const from = now();
      let all = attributes;
      let status: EndedSpan['status'] = { code: 0 };
      let isEnded = false;
      return {
        place,
        setAttributes: (more) => (all = { ...all, ...more }),
        setStatus: (given) => (status = given),
        end: () => {
          if (isEnded) return;
          isEnded = true;
          const parent = context === undefined ? {} : { parentSpanId: context.spanId };
          sender.add({ ...place, ...parent, name, from, to: now(), attributes: all, status });
        },
      };
    },
    flush: (patienceMs) => sender.flush(patienceMs),
  };
}
