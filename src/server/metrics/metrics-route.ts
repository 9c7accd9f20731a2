import type { Clock, SessionStore } from '../../core/index.js';
import type { TextMeter, Gauge } from '../../telemetry/index.js';
import { EXPOSITION_TYPE } from '../../telemetry/index.js';
import { StoreGauges } from './store-gauges.js';

/** Sources of metrics. */
export interface Measured {
  /**
   * The store to report on. If absent, there are no store metrics. If many processes share a store, only a
   * few of them need to report on it.
   */
  readonly store?: SessionStore;
  readonly clock: Clock;
  readonly meter: TextMeter;
  readonly version: string;
}

/** Returns metrics about the process under their standard names. */
function processGauges(version: string): readonly Gauge[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'hitl_build_info',
      description: 'Version of hitl.',
      samples: [{ labels: { version }, value: 1 }],
    },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      description: 'User and system CPU time spent in seconds.',
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: 'process_resident_memory_bytes',
      description: 'Resident memory size in bytes.',
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_start_time_seconds',
      description: 'Start time of the process since unix epoch in seconds.',
      samples: [{ value: Math.round(performance.timeOrigin) / 1_000 }],
    },
  ];
}

/** Creates the route that returns metrics in Prometheus text format, for this process and its store. */
export function metricsRoute({ store, clock, meter, version }: Measured) {
  const gauges = store && new StoreGauges(store, clock);
  return {
    ...({ method: 'GET', path: '/metrics', kind: 'file' } as const),
    handle: async (): Promise<Response> => {
      const text = meter.text([...((await gauges?.now()) ?? []), ...processGauges(version)]);
      return new Response(text, {
        headers: { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' },
      });
    },
  };
}
