import type { Clock, SessionStore } from '../../core/index.js';
import type { TextMeter } from '../../telemetry/index.js';
import { EXPOSITION_TYPE } from '../../telemetry/index.js';
import { processGauges } from './process-gauges.js';
import { StoreGauges } from './store-gauges.js';

/** The things of which numbers are told. */
export interface Measured {
  /** Absent: nothing is told of a store. Of many processes of one store few have to tell of it. */
  readonly store?: SessionStore;
  readonly clock: Clock;
  readonly meter: TextMeter;
  readonly version: string;
}

/** The numbers in Prometheus' text format: of this process, and of its store. */
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
