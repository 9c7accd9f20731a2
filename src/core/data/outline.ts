/** Whether a gate stops before a node or operation, after it, or both. */
export type GateSide = 'before' | 'after' | 'both';

/** A node in a graph's outline. */
export interface OutlineNode {
  readonly name: string;
  readonly kind: string;
  readonly gate?: GateSide;
  /** The condition on the node's gate. */
  readonly when?: string;
}

/** An edge in a graph's outline. */
export interface OutlineEdge {
  readonly from: string;
  readonly to: string;
  /** The text of the edge's condition, or `a function` if the condition has no text. */
  readonly when?: string;
  /** Absent: 1. */
  readonly priority?: number;
  /** Absent: 1. */
  readonly weight?: number;
}

/**
 * The outline of a definition. It is saved with a session so that it can be drawn and compared with later
 * versions.
 */
export interface GraphOutline {
  /** Absent: 1. */
  readonly version?: number;
  readonly nodes: readonly OutlineNode[];
  readonly edges: readonly OutlineEdge[];
  readonly ends: readonly string[];
  /** The gates of the operations in the node's code, by operation name. */
  readonly gates?: Readonly<Record<string, GateSide>>;
}

/** Version of a definition that does not specify a version. */
export const FIRST_VERSION = 1;
