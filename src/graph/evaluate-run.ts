import type { JsonValue, SessionEvent, JsonObject } from '../core/index.js';
import { fold, jsonEquals, livePath, HitlError, isJsonArray, isJsonObject } from '../core/index.js';

/** The result of checking one expectation. */
export type Verdict = 'pass' | 'fail';

/** One checked expectation. */
export interface Score {
  readonly metric: keyof Expectations;
  readonly verdict: Verdict;
  /** The actual value. */
  readonly actual: JsonValue;
}

/** The results of evaluating a run. */
export interface Evaluation {
  /** One per expectation. */
  readonly scores: readonly Score[];
  /** `fail` if any expectation failed. */
  readonly verdict: Verdict;
}

/** Compares a run with expectations, using only its events. Undone nodes are ignored (C-41). */
export function evaluateRun(events: readonly SessionEvent[], { path, state }: Expectations): Evaluation {
  const { graph } = fold(events);
  const ran = graph === undefined ? [] : livePath(graph).map(({ node }) => node);
  const final = Object.entries(graph?.state ?? {});
  const scores: readonly Score[] = [
    ...(path === undefined ? [] : [scoreOf('path', ran, [...path])]),
    ...(state === undefined
      ? []
      : [scoreOf('state', Object.fromEntries(final.filter(([key]) => Object.hasOwn(state, key))), state)]),
  ];
  return { scores, verdict: scores.some(({ verdict }) => verdict === 'fail') ? 'fail' : 'pass' };
}

function scoreOf(metric: Score['metric'], actual: JsonValue, expected: JsonValue): Score {
  return { metric, verdict: jsonEquals(actual, expected) ? 'pass' : 'fail', actual };
}

/** Expectations about a run. Absent expectations are not checked. */
export interface Expectations {
  /** The names of the nodes that ran, in order. */
  readonly path?: readonly string[];
  /** Keys and values expected in the final state, which may also contain other keys. */
  readonly state?: JsonObject;
}

/**
 * Parses expectations; `$schema` is ignored.
 * @throws HitlError BAD_INPUT that states the problem.
 */
export function readExpectations(value: JsonValue): Expectations {
  if (!isJsonObject(value)) return refuse('not an object');
  const { $schema: _forEditors, path, state, ...others } = value;
  const [stray] = Object.keys(others);
  if (stray !== undefined) return refuse(`unknown property \`${stray}\``);
  return {
    ...(path !== undefined && { path: readNames(path) }),
    ...(state !== undefined && { state: isJsonObject(state) ? state : refuse('`state` is not an object') }),
  };
}

function readNames(value: JsonValue): readonly string[] {
  const isList = isJsonArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value : refuse('`path` is not a list of names');
}

function refuse(why: string): never {
  throw new HitlError('BAD_INPUT', `invalid expectations: ${why}`, {
    hint: 'pass an object with `path`, `state` or both',
  });
}
