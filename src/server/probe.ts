import type { Clock, SessionStore } from '../core/index.js';
import { HitlError } from '../core/index.js';
import type { TextMeter } from '../telemetry/index.js';
import { isLoopback } from './doors/origin.js';
import { secured } from './doors/headers.js';
import type { ListenOptions, Listening } from './listen.js';
import { listen } from './listen.js';
import { metricsRoute } from './metrics/metrics-route.js';
import { Requests } from './metrics/requests.js';
import { HEALTH, readyRoute } from './readiness.js';

// Invariants:
// P1 It tells numbers of this process and whether its store answers, and nothing of what the store holds: nobody has to
//    be known to ask.
// P2 Where it listens on this machine alone it answers to a name of this machine alone, as the server does: no page of
//    another site reads it by a name that somebody bent.

/** The monitored parts of a process that does not run a server. */
export interface Probed {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly meter: TextMeter;
  readonly version: string;
}

/** Time limit for a response from the store, in milliseconds. */
const STORE_MS = 2_500;

/**
 * Serves `/metrics`, `/healthz` and `/readyz` for a worker.
 * @throws HitlError BAD_CONFIG if packages are missing or listening fails
 */
export function listenForProbes(
  probed: Probed,
  place: ListenOptions & { readonly address: string },
): Promise<Listening> {
  const { store, clock, meter } = probed;
  const [path, text, type] = HEALTH;
  const patience = (): AbortSignal => {
    const over = new AbortController();
    void clock.sleep(STORE_MS, over.signal).then(() => {
      over.abort(new HitlError('STORE_UNAVAILABLE', 'the store does not respond'));
    });
    return over.signal;
  };
  const ready = readyRoute({ store, clock, patience });
  const metrics = metricsRoute({ clock, meter, version: probed.version }); // P1
  const rows = [
    { method: 'GET', path, handle: () => new Response(text, { headers: { 'content-type': type } }) },
    { method: 'GET', path: ready.path, handle: () => ready.handle() },
    metrics,
  ] as const;
  const requests = new Requests(meter);
  const isLocal = isLoopback(place.address);
  return listen(
    (port) =>
      Promise.resolve({
        origin: `http://${place.address}:${port}`,
        fetch: async (request) => {
          const { pathname, hostname } = new URL(request.url);
          const row = rows.find((one) => one.path === pathname);
          if (isLocal && !isLoopback(hostname))
            return secured(await requests.counted(undefined, new Response(null, { status: 421 }))); // P2
          const isRead = request.method === 'GET' || request.method === 'HEAD';
          const answer =
            row === undefined || !isRead ? new Response(null, { status: row ? 405 : 404 }) : row.handle();
          return secured(await requests.counted(row, answer));
        },
        drain: () => Promise.resolve(),
        close: () => Promise.resolve(),
      }),
    place,
  );
}
