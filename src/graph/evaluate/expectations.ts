import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonObject } from '../../core/index.js';

/**
 * How a path must be: `exact` the whole, `prefix` its beginning, `subsequence` in this order with others between,
 * `score` alike in at least so many places.
 */
export type PathMode = 'exact' | 'prefix' | 'subsequence' | 'score';

export interface ExpectedPath {
  readonly nodes: readonly string[];
  /** Default `exact`. */
  readonly mode?: PathMode;
  /** What is enough with `score`, from 0 to 1. Default 1. */
  readonly atLeast?: number;
}

/** What a run of a workflow should have done; what is absent is not looked at. */
export interface Expectations {
  readonly path?: ExpectedPath;
  /** Keys of the final state, with their values. */
  readonly state?: JsonObject;
  /** How often each node ran. */
  readonly counts?: Readonly<Record<string, number>>;
  /** How many questions were asked, or which, in their order: a kind, or a kind and a node as in `gate review`. */
  readonly interrupts?: number | readonly string[];
  /** What was answered, in the order of the answers, as in `continue`. */
  readonly actions?: readonly string[];
}

const KEYS = ['path', 'state', 'counts', 'interrupts', 'actions'];
const MODES: readonly string[] = ['exact', 'prefix', 'subsequence', 'score'] satisfies readonly PathMode[];

/**
 * Reads expectations as people write them: `path` may be a bare list of nodes.
 * @throws HitlError BAD_INPUT naming what is wrong.
 */
export function readExpectations(value: JsonValue): Expectations {
  if (!isJsonObject(value)) return refuse('they are no object');
  const stray = Object.keys(value).find((key) => !KEYS.includes(key));
  if (stray !== undefined) return refuse(`\`${stray}\` is none of them`);
  const { path, state, counts, interrupts, actions } = value;
  return {
    ...(path !== undefined && { path: readPath(path) }),
    ...(state !== undefined && { state: isJsonObject(state) ? state : refuse('`state` is no object') }),
    ...(counts !== undefined && { counts: readCounts(counts) }),
    ...(interrupts !== undefined && {
      interrupts: isCount(interrupts) ? interrupts : readNames('interrupts', interrupts),
    }),
    ...(actions !== undefined && { actions: readNames('actions', actions) }),
  };
}

function readPath(value: JsonValue): ExpectedPath {
  if (!isJsonObject(value)) return { nodes: readNames('path', value) };
  const { nodes = null, mode = 'exact', atLeast = 1 } = value;
  if (!isMode(mode)) return refuse(`\`path.mode\` is none of ${MODES.join(', ')}`);
  if (typeof atLeast !== 'number' || atLeast < 0 || atLeast > 1)
    return refuse('`path.atLeast` is no number from 0 to 1');
  return { nodes: readNames('path.nodes', nodes), mode, atLeast };
}

function isMode(value: JsonValue): value is PathMode {
  return typeof value === 'string' && MODES.includes(value);
}

function isCount(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function readCounts(value: JsonValue): Readonly<Record<string, number>> {
  if (!isJsonObject(value)) return refuse('`counts` is no object');
  const counts = Object.entries(value).map(([node, count]): [string, number] => [
    node,
    isCount(count) ? count : refuse(`\`counts.${node}\` is no count`),
  ]);
  return Object.fromEntries(counts);
}

function readNames(place: string, value: JsonValue): readonly string[] {
  const names = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  return Array.isArray(value) && names.length === value.length
    ? names
    : refuse(`\`${place}\` is no list of names`);
}

function refuse(why: string): never {
  throw new HitlError('BAD_INPUT', `the expectations cannot be read: ${why}`, {
    hint: `an object with any of: ${KEYS.join(', ')}`,
  });
}
