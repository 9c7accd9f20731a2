import type { JsonObject, JsonValue } from '../../core/index.js';
import type { NodeDefinition } from '../definition/graph-definition.js';

/** The node at which a guard is asked. */
export interface GuardedNode {
  /** `outer@1/review@2`. */
  readonly path: string;
  readonly node: string;
  readonly visit: number;
  readonly kind: NodeDefinition['kind'];
  readonly state: JsonObject;
  /** Present behind a node that gave one. */
  readonly output?: JsonValue;
}

/** An edge about which a guard is asked. */
export interface GuardedEdge extends GuardedNode {
  readonly to: string;
}

/** Ask a person first, or let nobody pass. */
export type GuardHold = { readonly interrupt: string } | { readonly block: string };
/** Nothing lets the run go on; `skip` leaves the node out, with `output` as if it had given that. */
export type GuardVerdict = GuardHold | { readonly skip: true; readonly output?: JsonValue } | undefined;

type Judged<Verdict> = Verdict | Promise<Verdict>;

/**
 * A policy for the nodes of a run, also of graphs inside of it. A guard that throws blocks: the node does not run, and
 * the run fails (C-36). It is asked once before a node begins, and again where the run is taken up there.
 */
export interface GraphGuard {
  /** Named in questions and errors. */
  readonly name: string;
  beforeNode?(at: GuardedNode, signal: AbortSignal): Judged<GuardVerdict>;
  afterNode?(at: GuardedNode, signal: AbortSignal): Judged<GuardHold | undefined>;
  onEdge?(at: GuardedEdge, signal: AbortSignal): Judged<GuardHold | undefined>;
}
