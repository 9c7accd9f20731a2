import type { Attributes } from './tracer.js';

// The part of OpenTelemetry's metrics that is used, as it is in `@opentelemetry/api`; see `tracer.ts`.

/** The part of OpenTelemetry's `Counter` that hitl uses. */
export interface MeterCounter {
  add(value: number, attributes?: Attributes): void;
}

/** The part of OpenTelemetry's `Histogram` that hitl uses. */
export interface MeterHistogram {
  record(value: number, attributes?: Attributes): void;
}

/** An instrument's description and unit. */
export interface InstrumentOptions {
  readonly description?: string;
  readonly unit?: string;
}

/** The part of OpenTelemetry's `Meter` that hitl uses. */
export interface Meter {
  createCounter(name: string, options?: InstrumentOptions): MeterCounter;
  createHistogram(name: string, options?: InstrumentOptions): MeterHistogram;
}
