import type { JsonObject, JsonValue } from '../../core/index.js';
import type { NodeDefinition } from '../definition/graph-definition.js';

/** The node that a guard is called for. */
export interface GuardedNode {
  /** `outer@1/review@2`. */
  readonly path: string;
  readonly node: string;
  readonly visit: number;
  readonly kind: NodeDefinition['kind'];
  readonly state: JsonObject;
  /** The node's output, if it has run. */
  readonly output?: JsonValue;
}

/** The edge that a guard is called for. */
export interface GuardedEdge extends GuardedNode {
  readonly to: string;
}

/** A guard's decision to ask a person, or to block the next step. */
export type GuardHold = { readonly interrupt: string } | { readonly block: string };
/** A guard's verdict. `undefined` continues; `skip` skips the node, optionally with an `output`. */
export type GuardVerdict = GuardHold | { readonly skip: true; readonly output?: JsonValue } | undefined;

type Judged<Verdict> = Verdict | Promise<Verdict>;

/**
 * A policy for a run's nodes, including those in inner graphs. If a guard throws, the node does not run and
 * the run fails (C-36). A guard is called before a node starts, and again if the run resumes there.
 */
export interface GraphGuard {
  /** Shown in questions and errors. */
  readonly name: string;
  beforeNode?(at: GuardedNode, signal: AbortSignal): Judged<GuardVerdict>;
  afterNode?(at: GuardedNode, signal: AbortSignal): Judged<GuardHold | undefined>;
  onEdge?(at: GuardedEdge, signal: AbortSignal): Judged<GuardHold | undefined>;
}
