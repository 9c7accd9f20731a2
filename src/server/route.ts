// Invariants:
// W1 Each thing that can be asked of the server is a row of one table, `Route`, and `answered` of the server the only way
//    from a row to an answer: who may ask, what shows that no other site made a browser ask, and how much is read. Nothing is
//    decided by how a path is spelled.
// W2 A row that writes says how its request is known for one of ours; without that the server does not start.
import type * as z from 'zod';
import { HitlError } from '../core/index.js';
import type { Role, Visitor } from './doors/visitor.js';
import type { Sight } from './sight/sight.js';

/** A request that a row takes. */
export interface OpenCall {
  readonly request: Request;
  readonly url: URL;
  /** The address of whoever is connected. */
  readonly address: string;
  /** The value of a name in the path. */
  readonly param: (name: string) => string;
  /** The fields of a form; empty for a row without one. */
  readonly form: URLSearchParams;
  /** The bytes of its body that are read. */
  readonly mostBytes: number;
}

/** A request of somebody who was let in. */
export interface Call extends OpenCall {
  readonly visitor: Visitor;
  /** What they see, and do. */
  readonly sight: Sight;
}

/** A response of a route, for its description. */
export interface RouteResponse {
  readonly says: string;
  readonly schema?: z.ZodType;
  /** Default: JSON. */
  readonly type?: 'text/event-stream';
}

/** A row of the interface for programs says what `/openapi.json` does. */
export interface RouteDescription {
  readonly summary: string;
  readonly query?: z.ZodObject<Readonly<Record<string, z.ZodType>>>;
  readonly body?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly responses: Readonly<Record<number, RouteResponse>>;
}

interface Row {
  /** As in `/v1/sessions/:id`. */
  readonly path: string;
  /** How it speaks, also where it refuses. A page is for browsers, and at the server's own host alone. */
  readonly kind: 'page' | 'json' | 'file';
}

/** Reads: there is nothing to show. */
interface Reading {
  readonly method: 'GET';
  /** It is open for as long as its reader likes: `HEAD` begins none. */
  readonly isStream?: true;
  /** It is asked for with this word in its query, and else another row is. */
  readonly having?: string;
}

/** Writes: it says how a request is known for one of ours (W2). */
interface Writing {
  readonly method: 'POST';
  /**
   * `field` is the token of a form, in its field `form`; `header` the same in `x-hitl-form`, which a program with a
   * token of its own has no need of; `same-site` a form of our own that somebody sends who has no such token yet;
   * `signature` something in the request that is checked by the row.
   */
  readonly shows: 'field' | 'header' | 'same-site' | 'signature';
  readonly mostBytes: number;
}

/** A row for whoever was let in, with a role that they need, or any. */
export type InnerRoute = Row & {
  readonly needs: Role | 'any role';
  readonly handle: (call: Call) => Promise<Response> | Response;
} & (Reading | Writing);

/** A row for everybody. */
export type OpenRoute = Row & {
  readonly needs: 'nobody';
  readonly handle: (call: OpenCall) => Promise<Response> | Response;
} & (Reading | Writing);

/** One thing that can be asked of the server. */
export type Route = InnerRoute | OpenRoute;

/** A row that `/openapi.json` describes. */
export type ApiRoute = InnerRoute & RouteDescription;

/** Bytes of the body of an answer: an edited input may be large. */
export const MOST_BYTES = 2_000_000;
/** Bytes of a body that is read before anybody is known, or that has a token in it and no more. */
export const FEW_BYTES = 16_000;

/** Bytes of a click of Slack, which has our message in it: it is read before its signature can be looked at. */
export const CLICK_BYTES = 100_000;

/** @throws HitlError BAD_CONFIG for a row that writes and does not say how its request is known for one of ours (W2) */
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
