// The part of OpenTelemetry's tracing that is used, as it is in `@opentelemetry/api`: nothing is imported, so a tracer
// of theirs fits, and without that package everything works.

/** An attribute's value. */
export type AttributeValue = string | number | boolean;

/** The attributes of a span or measurement. */
export type Attributes = Record<string, AttributeValue>;

/** OpenTelemetry's `SpanStatusCode`: unset, ok, error. */
export type StatusCode = 0 | 1 | 2;

/** The part of OpenTelemetry's `Span` that hitl uses. */
export interface TraceSpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: StatusCode; readonly message?: string }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's `Tracer` that hitl uses. */
export interface Tracer {
  /** @param context the context with the parent span, as returned by `TraceOptions.within` */
  startSpan(name: string, options?: { readonly attributes?: Attributes }, context?: unknown): TraceSpan;
}
