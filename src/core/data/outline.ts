/** The side of a node, or of an operation, at which a gate stops. */
export type GateSide = 'before' | 'after' | 'both';

/** A node in the outline of a graph. */
export interface OutlineNode {
  readonly name: string;
  readonly kind: string;
  readonly gate?: GateSide;
  /** The condition of its gate. */
  readonly when?: string;
}

/** An edge in the outline of a graph. */
export interface OutlineEdge {
  readonly from: string;
  readonly to: string;
  /** Text of its condition; `a function` for one without text. */
  readonly when?: string;
  /** Absent: 1. */
  readonly priority?: number;
  /** Absent: 1. */
  readonly weight?: number;
}

/** A definition's outline, saved with a session to compare it with later versions and to draw it. */
export interface GraphOutline {
  /** Absent: 1. */
  readonly version?: number;
  readonly nodes: readonly OutlineNode[];
  readonly edges: readonly OutlineEdge[];
  readonly ends: readonly string[];
  /** The gates of its code's operations, by name. */
  readonly gates?: Readonly<Record<string, GateSide>>;
}

/** Version of a definition without one. */
export const FIRST_VERSION = 1;
