import type { Attributes } from './tracer.js';
import type { InstrumentOptions, Meter } from './meter.js';

// Invariants:
// E1 The text is Prometheus' exposition format 0.0.4: whatever stands in a label is escaped, and names are made of what
//    names may have.
// E2 Names of OpenTelemetry are told as its specification maps them: `hitl.work.duration` in `s` is
//    `hitl_work_duration_seconds`, and a counter ends in `_total`.

/** One value of a gauge, with its labels. */
export interface Sample {
  readonly labels?: Attributes;
  readonly value: number;
}

/** A metric whose values are read when the metrics are requested. */
export interface Gauge {
  readonly name: string;
  readonly description: string;
  readonly type?: 'gauge' | 'counter';
  readonly samples: readonly Sample[];
}

/** A meter that can return its values as text. */
export interface TextMeter extends Meter {
  /** Returns the meter's values in Prometheus format, followed by the gauges. */
  text(gauges?: readonly Gauge[]): string;
}

/** Content type of the text that a `TextMeter` returns. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Upper bounds of the histogram buckets, in seconds. They range from a few milliseconds to the run time of a
 * slow tool.
 */
const BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];

interface Series {
  readonly labels: Attributes;
  count: number;
  sum: number;
  /** Number of values less than or equal to each bound. */
  readonly within: number[];
}

interface Instrument {
  readonly name: string;
  readonly type: 'counter' | 'histogram';
  readonly description: string;
  readonly series: Map<string, Series>;
}

/** Creates a meter that keeps its values in this process and returns them as text. */
export function textMeter(): TextMeter {
  const instruments = new Map<string, Instrument>();
  const instrument = (
    type: Instrument['type'],
    name: string,
    { description = '', unit }: InstrumentOptions = {},
  ): ((value: number, labels?: Attributes) => void) => {
    const told = metricName(name, unit === 's' ? '_seconds' : '', type === 'counter' ? '_total' : '');
    const made: Instrument = instruments.get(told) ?? { name: told, type, description, series: new Map() };
    instruments.set(told, made);
    return (value, labels = {}) => {
      const key = labelText(labels);
      const series = made.series.get(key) ?? { labels, count: 0, sum: 0, within: BOUNDS.map(() => 0) };
      made.series.set(key, series);
      series.count += 1;
      series.sum += value;
      if (type === 'counter') return;
      for (const [index, bound] of BOUNDS.entries())
        if (value <= bound) series.within[index] = (series.within[index] ?? 0) + 1;
    };
  };
  return {
    createCounter: (name, options) => ({ add: instrument('counter', name, options) }),
    createHistogram: (name, options) => ({ record: instrument('histogram', name, options) }),
    text: (gauges = []) =>
      [...[...instruments.values()].map(instrumentText), ...gauges.map(gaugeText)].join(''),
  };
}

function instrumentText({ name, type, description, series }: Instrument): string {
  const lines = [...series.values()].flatMap(({ labels, count, sum, within }) => {
    if (type === 'counter') return [line(name, labels, sum)];
    const buckets = BOUNDS.map((bound, index) =>
      line(`${name}_bucket`, { ...labels, le: String(bound) }, within[index] ?? 0),
    );
    return [
      ...buckets,
      line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
      line(`${name}_sum`, labels, sum),
      line(`${name}_count`, labels, count),
    ];
  });
  return block({ name, type, description }, lines);
}

function gaugeText({ name, description, type = 'gauge', samples }: Gauge): string {
  return block(
    { name, type, description },
    samples.map(({ labels = {}, value }) => line(name, labels, value)),
  );
}

function block(
  { name, type, description }: { readonly name: string; readonly type: string; readonly description: string },
  lines: readonly string[],
): string {
  const help = description.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function line(name: string, labels: Attributes, value: number): string {
  return `${name}${labelText(labels)} ${String(value)}\n`;
}

function labelText(labels: Attributes): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const text = String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    return `${metricName(name)}="${text}"`;
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function metricName(name: string, ...endings: readonly string[]): string {
  return [name.replace(/[^A-Za-z0-9_]/gu, '_'), ...endings].join('');
}
