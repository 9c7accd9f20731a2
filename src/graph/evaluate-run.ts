import type { JsonValue, SessionEvent, JsonObject } from '../core/index.js';
import { fold, jsonEquals, livePath, HitlError, isJsonArray, isJsonObject } from '../core/index.js';

/** The finding on one expectation of a run. */
export type Verdict = 'pass' | 'fail';

/** One thing that was expected of a run. */
export interface Score {
  readonly metric: keyof Expectations;
  readonly verdict: Verdict;
  /** The value that there was. */
  readonly actual: JsonValue;
}

/** The verdicts on a run, with their score. */
export interface Evaluation {
  /** One for each expectation. */
  readonly scores: readonly Score[];
  /** `fail` where one of them failed. */
  readonly verdict: Verdict;
}

/**
 * Compares what a run of a workflow did with what it should have done. Reads events and nothing else; what was gone back
 * over does not count (C-41).
 */
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

/** The things that a run of a workflow should have done; an absent one is not looked at. */
export interface Expectations {
  /** Every node that counts, in the order in which they ran. */
  readonly path?: readonly string[];
  /** Keys of the final state, with their values; others may be there too. */
  readonly state?: JsonObject;
}

/**
 * Reads expectations as people write them; `$schema` is for their editor.
 * @throws HitlError BAD_INPUT naming what is wrong.
 */
export function readExpectations(value: JsonValue): Expectations {
  if (!isJsonObject(value)) return refuse('they are no object');
  const { $schema: _forEditors, path, state, ...others } = value;
  const [stray] = Object.keys(others);
  if (stray !== undefined) return refuse(`\`${stray}\` is none of them`);
  return {
    ...(path !== undefined && { path: readNames(path) }),
    ...(state !== undefined && { state: isJsonObject(state) ? state : refuse('`state` is no object') }),
  };
}

function readNames(value: JsonValue): readonly string[] {
  const isList = isJsonArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value : refuse('`path` is no list of names');
}

function refuse(why: string): never {
  throw new HitlError('BAD_INPUT', `the expectations cannot be read: ${why}`, {
    hint: 'an object with any of: path, state',
  });
}
