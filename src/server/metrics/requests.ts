import type { TextMeter } from '../../telemetry/index.js';
import type { Route } from '../route.js';

/** Counts answers to requests by the row that answered: a path as it was asked for would name sessions, and have no end. */
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

  /** Counts an answer once it is there. */
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
