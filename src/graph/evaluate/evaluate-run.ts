import type { JsonValue, SessionEvent } from '../../core/index.js';
import { fold, jsonEquals, livePath } from '../../core/index.js';
import type { Expectations } from './expectations.js';

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
