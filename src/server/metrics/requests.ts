import type { TextMeter } from '../../telemetry/index.js';
import type { Route } from '../route.js';

/**
 * Counts responses by route rather than by path, because paths contain session IDs and the number of sessions
 * is unlimited.
 */
export class Requests {
  readonly #count: (value: number, labels: Record<string, string>) => void;

  constructor(meter: TextMeter) {
    const counter = meter.createCounter('hitl.requests', {
      description: 'Responses, by route and status; the route is `none` if it is unknown.',
    });
    this.#count = (value, labels) => {
      counter.add(value, labels);
    };
  }

  /** Counts a response once it is available. */
  async counted(
    route: Pick<Route, 'method' | 'path'> | undefined,
    answer: Response | Promise<Response>,
  ): Promise<Response> {
    const response = await answer;
    this.#count(1, {
      route: route === undefined ? 'none' : `${route.method} ${route.path}`,
      status: String(response.status),
    });
    return response;
  }
}
