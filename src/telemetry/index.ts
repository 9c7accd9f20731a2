// The entry `hitl/telemetry`: spans and metrics of what runs do, for any tracer and meter of OpenTelemetry.

export { countedStore } from './counted-store.js';
export type { Gauge, Sample, TextMeter } from './exposition.js';
export { EXPOSITION_TYPE, textMeter } from './exposition.js';
export type { TraceOptions } from './trace-run.js';
export { traceRun } from './trace-run.js';
export type { Attributes, AttributeValue, StatusCode, Tracer, TraceSpan } from './tracer.js';
export type { MeasureOptions } from './measure-run.js';
export { measureRun } from './measure-run.js';
export type { InstrumentOptions, Meter, MeterCounter, MeterHistogram } from './meter.js';
export type { SpanPlace } from './otlp-body.js';
export type { OtlpOptions, OtlpSpan, OtlpTracer } from './otlp-tracer.js';
export { otlpTracer } from './otlp-tracer.js';
export type { Collector } from './span-sender.js';
