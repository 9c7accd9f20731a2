// Invariants:
// W1 Each thing that can be asked of the server is a row of one table, `Route`, and `answered` of the server the only way
//    from a row to an answer: who may ask, what shows that no other site made a browser ask, and how much is read. Nothing is
//    decided by how a path is spelled.
// W2 A row that writes says how its request is known for one of ours; without that the server does not start.
import type * as z from 'zod';
import { HitlError } from '../core/index.js';
import type { Role, Visitor } from './doors/visitor.js';
import type { Sight } from './sight/sight.js';

/** A request to a route. */
export interface OpenCall {
  readonly request: Request;
  readonly url: URL;
  /** Remote address of the connection. */
  readonly address: string;
  /** Returns the value of a path parameter. */
  readonly param: (name: string) => string;
  /** Form fields; empty for a route without a form. */
  readonly form: URLSearchParams;
  /** Maximum number of body bytes to read. */
  readonly mostBytes: number;
}

/** A signed-in request. */
export interface Call extends OpenCall {
  readonly visitor: Visitor;
  /** The sessions and questions that the visitor may see and act on. */
  readonly sight: Sight;
}

/** A response of a route, for the API description. */
export interface RouteResponse {
  readonly says: string;
  readonly schema?: z.ZodType;
  /** Default: JSON. */
  readonly type?: 'text/event-stream';
}

/** Description of a route in `/openapi.json`. */
export interface RouteDescription {
  readonly summary: string;
  readonly query?: z.ZodObject<Readonly<Record<string, z.ZodType>>>;
  readonly body?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly responses: Readonly<Record<number, RouteResponse>>;
}

interface Row {
  /** For example `/v1/sessions/:id`. */
  readonly path: string;
  /**
   * Response format, also used for error responses. Pages are for browsers and are served only on the
   * server's own host.
   */
  readonly kind: 'page' | 'json' | 'file';
}

/** Reads only. */
interface Reading {
  readonly method: 'GET';
  /** Whether the response stays open until the client disconnects. `HEAD` does not start a stream. */
  readonly isStream?: true;
  /**
   * Whether the client can ask to wait for the response. A request that waits is counted as one of the
   * client's streams.
   */
  readonly waits?: true;
  /** A query parameter that must be present for the route to match. */
  readonly having?: string;
}

/** A route that changes something and must recognize requests from our own pages (W2). */
interface Writing {
  readonly method: 'POST';
  /**
   * The proof that a request must contain. `field`: the form token in the field `form`. `header`: the same
   * token in `x-hitl-form`, not required for a program with its own token. `same-site`: a same-site request,
   * for forms shown before there is a token. `signature`: a signature that the route verifies.
   */
  readonly shows: 'field' | 'header' | 'same-site' | 'signature';
  readonly mostBytes: number;
}

/** A route for signed-in users, with a required role or any role. */
export type InnerRoute = Row & {
  readonly needs: Role | 'any role';
  readonly handle: (call: Call) => Promise<Response> | Response;
} & (Reading | Writing);

/** A route that does not require sign-in. */
export type OpenRoute = Row & {
  readonly needs: 'nobody';
  readonly handle: (call: OpenCall) => Promise<Response> | Response;
} & (Reading | Writing);

/** A route of the server. */
export type Route = InnerRoute | OpenRoute;

/** A route described in `/openapi.json`. */
export type ApiRoute = InnerRoute & RouteDescription;

/** Maximum size of an answer's body in bytes. An edited input may be large. */
export const MOST_BYTES = 2_000_000;
/** Maximum size in bytes of a body that is read before authentication or that contains only a token. */
export const FEW_BYTES = 16_000;

/** Maximum size of a message form in bytes. In a form, text takes up to nine bytes per character. */
export const MESSAGE_BYTES = 100_000;

/**
 * Maximum size of a request for a Slack click in bytes. It includes our message, and is read before its
 * signature can be verified.
 */
export const CLICK_BYTES = 100_000;

/**
 * Checks that every route that changes something specifies how it verifies the origin of requests.
 * @throws HitlError BAD_CONFIG if one does not (W2)
 */
export function checkRoutes(routes: readonly Route[]): void {
  for (const { method, path, needs, ...row } of routes) {
    const shows = 'shows' in row ? row.shows : undefined;
    if (method === 'GET') continue;
    const isChecked =
      shows !== undefined && (needs === 'nobody' ? OF_STRANGERS : OF_VISITORS).includes(shows);
    if (isChecked) continue;
    throw new HitlError('BAD_CONFIG', `${method} ${path} writes without checking where requests come from`);
  }
}

const OF_STRANGERS: readonly Writing['shows'][] = ['same-site', 'signature'];
const OF_VISITORS: readonly Writing['shows'][] = ['field', 'header'];
