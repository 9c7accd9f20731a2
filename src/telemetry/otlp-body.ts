import type { Attributes, AttributeValue, StatusCode } from './tracer.js';

/** A span's position in its trace: IDs of 32 and 16 hexadecimal digits. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span that has ended. */
export interface EndedSpan extends SpanPlace {
  readonly parentSpanId?: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
  readonly status: { readonly code: StatusCode; readonly message?: string };
}

/** OTLP’s `SPAN_KIND_INTERNAL`. */
const INTERNAL = 1;
/** Maximum length of a value, in characters. Collectors reject requests of several megabytes. */
const LONGEST = 8_192;

/** Returns the body of a request to a collector: OTLP's `ExportTraceServiceRequest` as JSON. */
export function otlpBody(resource: Attributes, spans: readonly EndedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'hitl' }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf({ from, to, attributes, ...span }: EndedSpan): object {
  return {
    ...span,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(to),
    attributes: attributesOf(attributes),
  };
}

/** Returns a time in nanoseconds as a string, because a JavaScript number cannot represent it exactly. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}

function attributesOf(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

/** Shortens text without splitting a surrogate pair, which collectors reject. */
function cut(text: string): string {
  return text.length > LONGEST ? text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/u, '') : text;
}

function valueOf(value: AttributeValue): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: cut(value) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
