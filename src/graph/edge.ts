import type { JsonObject } from '../core/index.js';
import type { Condition, RouteMeta } from './expression/index.js';

/** The condition of an edge: an expression, or a function of state and result. */
export type When = string | ((state: JsonObject, meta: RouteMeta) => boolean);

/** The condition of an edge, and its place among the edges of its node. */
export interface EdgeOptions {
  /** Default: always. */
  readonly when?: When;
  /** Higher ones are looked at first; 0 is the fallback, which always matches. Default 1. */
  readonly priority?: number;
  /** Chance among several that match at one priority. Default 1. */
  readonly weight?: number;
}

/** An edge of a graph, its condition read. */
export interface Edge {
  readonly to: string;
  readonly when?: When;
  /** The text of `when`, read. */
  readonly condition?: Condition;
  readonly priority: number;
  readonly weight: number;
}
