import type { Attributes } from './tracer.js';

// The part of OpenTelemetry's metrics that is used, as it is in `@opentelemetry/api`; see `tracer.ts`.

/** OpenTelemetry's `Counter`, as far as used. */
export interface MeterCounter {
  add(value: number, attributes?: Attributes): void;
}

/** OpenTelemetry's `Histogram`, as far as used. */
export interface MeterHistogram {
  record(value: number, attributes?: Attributes): void;
}

/** The name, unit and description of an instrument. */
export interface InstrumentOptions {
  readonly description?: string;
  readonly unit?: string;
}

/** OpenTelemetry's `Meter`, as far as used. */
export interface Meter {
  createCounter(name: string, options?: InstrumentOptions): MeterCounter;
  createHistogram(name: string, options?: InstrumentOptions): MeterHistogram;
}
