// The entry `hitl/telemetry`: spans of what runs do, for any tracer of OpenTelemetry.

export type { TraceOptions } from './trace-run.js';
export { traceRun } from './trace-run.js';
export type { Attributes, AttributeValue, StatusCode, Tracer, TraceSpan } from './tracer.js';
