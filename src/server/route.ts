// Invariants:
// W1 Each thing that can be asked of the server is a row of one table, `Route`, and `answered` of the server the only way
//    from a row to an answer: who may ask, what shows that no other site made a browser ask, and how much is read. Nothing is
//    decided by how a path is spelled.
// W2 A row that writes says how its request is known for one of ours; without that the server does not start.
import type * as z from 'zod';
import { HitlError } from '../core/index.js';
import type { Role, Visitor } from './doors/visitor.js';
import type { Sight } from './sight/sight.js';

/** A request for a route. */
export interface OpenCall {
  readonly request: Request;
  readonly url: URL;
  /** Address of the connection. */
  readonly address: string;
  /** The value of a name in the path. */
  readonly param: (name: string) => string;
  /** The fields of a form; empty for a row without one. */
  readonly form: URLSearchParams;
  /** The bytes of its body that are read. */
  readonly mostBytes: number;
}

/** A signed-in request. */
export interface Call extends OpenCall {
  readonly visitor: Visitor;
  /** What they can see and do. */
  readonly sight: Sight;
}

/** A response of a route, for its description. */
export interface RouteResponse {
  readonly says: string;
  readonly schema?: z.ZodType;
  /** Default: JSON. */
  readonly type?: 'text/event-stream';
}

/** A route's entry in `/openapi.json`. */
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
  /** Response format, also of refusals. A page is for browsers, and only at the server's own host. */
  readonly kind: 'page' | 'json' | 'file';
}

/** Reads only. */
interface Reading {
  readonly method: 'GET';
  /** Stays open as long as its reader does: `HEAD` starts none. */
  readonly isStream?: true;
  /** May take as long as its reader asks: counts as one of their streams. */
  readonly waits?: true;
  /** Matches only with this query parameter. */
  readonly having?: string;
}

/** Changes something: specifies how a request is recognized as ours (W2). */
interface Writing {
  readonly method: 'POST';
  /**
   * `field` is the form token, in the field `form`; `header` the same in `x-hitl-form`, not needed by a
   * program with its own token; `same-site` our own form before a token exists; `signature` is verified by
   * the route.
   */
  readonly shows: 'field' | 'header' | 'same-site' | 'signature';
  readonly mostBytes: number;
}

/** A route for signed-in users, with a required role, or any. */
export type InnerRoute = Row & {
  readonly needs: Role | 'any role';
  readonly handle: (call: Call) => Promise<Response> | Response;
} & (Reading | Writing);

/** A route for everybody. */
export type OpenRoute = Row & {
  readonly needs: 'nobody';
  readonly handle: (call: OpenCall) => Promise<Response> | Response;
} & (Reading | Writing);

/** One route of the server. */
export type Route = InnerRoute | OpenRoute;

/** A route that `/openapi.json` describes. */
export type ApiRoute = InnerRoute & RouteDescription;

/** Maximum bytes of an answer's body: an edited input may be large. */
export const MOST_BYTES = 2_000_000;
/** Maximum bytes of a body that is read before authentication, or that contains only a token. */
export const FEW_BYTES = 16_000;

/** Bytes of a form with a message: its text, in a form, takes up to nine bytes a character. */
export const MESSAGE_BYTES = 100_000;

/** Bytes of a click of Slack, which has our message in it: it is read before its signature can be looked at. */
export const CLICK_BYTES = 100_000;

/**
 * @throws HitlError BAD_CONFIG for a changing route that does not specify how its requests are recognized
 * (W2)
 */
export function checkRoutes(routes: readonly Route[]): void {
  for (const { method, path, needs, ...row } of routes) {
    const shows = 'shows' in row ? row.shows : undefined;
    if (method === 'GET') continue;
    const isChecked =
      shows !== undefined && (needs === 'nobody' ? OF_STRANGERS : OF_VISITORS).includes(shows);
    if (isChecked) continue;
    throw new HitlError('BAD_CONFIG', `${method} ${path} writes, and the origin of the request is unknown`);
  }
}

const OF_STRANGERS: readonly Writing['shows'][] = ['same-site', 'signature'];
const OF_VISITORS: readonly Writing['shows'][] = ['field', 'header'];
