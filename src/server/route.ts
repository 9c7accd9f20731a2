import type * as z from 'zod';
import type { Visitor } from './doors/index.js';

/** A request that was let in. */
export interface Call {
  readonly request: Request;
  readonly url: URL;
  /** The value of a name in the path. */
  readonly param: (name: string) => string;
  readonly visitor: Visitor;
}

/** A response of a route, for its description. */
export interface RouteResponse {
  readonly says: string;
  readonly schema?: z.ZodType;
  /** Default: JSON. */
  readonly type?: 'text/event-stream';
}

/** One thing that can be asked of the server. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** As in `/v1/sessions/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject<Readonly<Record<string, z.ZodType>>>;
  readonly body?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  readonly handle: (call: Call) => Promise<Response> | Response;
}
