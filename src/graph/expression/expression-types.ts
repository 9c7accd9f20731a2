import type { GraphState, JsonObject } from '../../core/index.js';

/** Maximum length of a condition, in UTF-16 units (C-5). */
export const MAX_CONDITION_LENGTH = 2000;
/**
 * Maximum nesting of parentheses, lists, calls, subscripts, `not` and `-` (C-5). A chain of `and` is not
 * nested.
 */
export const MAX_CONDITION_DEPTH = 32;
/** Maximum number of names, literals and operators in a condition (C-5). */
export const MAX_CONDITION_NODES = 256;

export type BinaryOperator =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'not in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';

/** The names that a path can start with (C-3); `data` is an alias for `state`. */
export type RootName = 'state' | 'conditions' | 'meta';

/** The built-in functions (C-3), with their minimum and maximum number of arguments. */
export const FUNCTIONS = {
  len: { least: 1, most: 1 },
  has: { least: 1, most: 1 },
  get: { least: 2, most: 2 },
  min: { least: 1, most: Infinity },
  max: { least: 1, most: Infinity },
  abs: { least: 1, most: 1 },
  str: { least: 1, most: 1 },
  num: { least: 1, most: 1 },
  bool: { least: 1, most: 1 },
  lower: { least: 1, most: 1 },
  startsWith: { least: 2, most: 2 },
  endsWith: { least: 2, most: 2 },
  contains: { least: 2, most: 2 },
} as const;

export type FunctionName = keyof typeof FUNCTIONS;

export type Expression =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'root'; readonly name: RootName }
  | { readonly type: 'read'; readonly from: Expression; readonly key: Expression }
  | { readonly type: 'call'; readonly name: FunctionName; readonly arguments: readonly Expression[] }
  | { readonly type: 'not' | 'minus'; readonly operand: Expression }
  | { readonly type: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** A parsed and validated condition: plain data, deeply frozen. */
export interface Condition {
  /** The source text; part of the graph's hash. */
  readonly text: string;
  readonly root: Expression;
}

/**
 * Progress information for routing: the second argument of an edge's function, and `meta` in a condition
 * (C-3).
 */
export interface RouteMeta {
  /** The number of activations so far at this level, including the current one. */
  readonly iteration: number;
  /** The node whose edges are being evaluated. */
  readonly node: string;
  /** The number of this visit to the node, from 1. */
  readonly visit: number;
  /** The names of the visited nodes, oldest first, including the current one. */
  readonly path: readonly string[];
  /** The status of the latest activation. */
  readonly lastStatus: string;
  /** The message of the last failure on the path to this node; `null` if there was none. */
  readonly lastError: string | null;
}

/** The names allowed after `meta.`. Parsing rejects all others. */
export const META_KEYS = [
  'iteration',
  'node',
  'visit',
  'path',
  'lastStatus',
  'lastError',
] as const satisfies readonly (keyof RouteMeta)[];

/** The read-only values that a condition is evaluated against. */
export interface ConditionScope {
  readonly state: GraphState | JsonObject;
  readonly conditions: JsonObject;
  /** Absent properties read as `null`. */
  readonly meta: Partial<RouteMeta>;
}

/** A condition's result. An `error` is not the same as `false`: the caller reports it (C-6). */
export type ConditionResult =
  | { readonly ok: true; readonly value: boolean }
  | { readonly ok: false; readonly error: string };
