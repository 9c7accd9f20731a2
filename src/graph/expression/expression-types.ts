import type { GraphState, JsonObject } from '../../core/index.js';

/** Longest text of a condition, in UTF-16 units (C-5). */
export const MAX_CONDITION_LENGTH = 2000;
/** Deepest nesting of parentheses, lists, calls, subscripts, `not` and `-` (C-5); a chain of `and` is not nesting. */
export const MAX_CONDITION_DEPTH = 32;
/** Most names, literals and operators in one condition (C-5). */
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

/** The root names (C-3); `data` is read as `state`. */
export type RootName = 'state' | 'conditions' | 'meta';

/** The free functions (C-3) with the minimum and maximum number of arguments of each. */
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
  /** As written; part of the graph's hash. */
  readonly text: string;
  readonly root: Expression;
}

/** The second argument of an edge's function, after the state; `meta` in a condition (C-3). */
export interface RouteMeta {
  /** Activations so far at this level, including the current one. */
  readonly iteration: number;
  /** The node whose edges are evaluated. */
  readonly node: string;
  /** The number of the node's visit, from 1. */
  readonly visit: number;
  /** Names of visited nodes, oldest first, including the current one. */
  readonly path: readonly string[];
  /** How the latest activation ended. */
  readonly lastStatus: string;
  /** Message of the last failure on the way here; `null` if there was none. */
  readonly lastError: string | null;
}

/** The names allowed after `meta.`; others are refused when the condition is parsed. */
export const META_KEYS = [
  'iteration',
  'node',
  'visit',
  'path',
  'lastStatus',
  'lastError',
] as const satisfies readonly (keyof RouteMeta)[];

/** Read-only values for evaluating a condition. */
export interface ConditionScope {
  readonly state: GraphState | JsonObject;
  readonly conditions: JsonObject;
  /** An absent property reads as `null`. */
  readonly meta: Partial<RouteMeta>;
}

/** The result of a condition; an `error` is not a `false`: the caller reports it (C-6). */
export type ConditionResult =
  | { readonly ok: true; readonly value: boolean }
  | { readonly ok: false; readonly error: string };
