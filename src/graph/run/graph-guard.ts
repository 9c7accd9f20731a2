import type { JsonObject, JsonValue } from '../../core/index.js';
import type { NodeDefinition } from '../definition/graph-definition.js';

/** The node that a guard decides about. */
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

/** The edge that a guard decides about. */
export interface GuardedEdge extends GuardedNode {
  readonly to: string;
}

/** Ask a person, or block. */
export type GuardHold = { readonly interrupt: string } | { readonly block: string };
/** `undefined` continues; `skip` skips the node, optionally with an `output`. */
export type GuardVerdict = GuardHold | { readonly skip: true; readonly output?: JsonValue } | undefined;

type Judged<Verdict> = Verdict | Promise<Verdict>;

/**
 * A policy for the nodes of a run, including inner graphs. A guard that throws blocks: the node does not run,
 * and the run fails (C-36). It is called before a node starts, and again if the run resumes there.
 */
export interface GraphGuard {
  /** Appears in questions and errors. */
  readonly name: string;
  beforeNode?(at: GuardedNode, signal: AbortSignal): Judged<GuardVerdict>;
  afterNode?(at: GuardedNode, signal: AbortSignal): Judged<GuardHold | undefined>;
  onEdge?(at: GuardedEdge, signal: AbortSignal): Judged<GuardHold | undefined>;
}
