import type { JsonValue, SessionEvent } from '../../core/index.js';
import { fold, jsonEquals, livePath } from '../../core/index.js';
import type { Expectations, ExpectedPath } from './expectations.js';

export type Verdict = 'pass' | 'fail' | 'not-evaluated';

/** One metric of a run. */
export interface Score {
  readonly metric: 'path' | 'state' | 'counts' | 'interrupts' | 'actions';
  readonly verdict: Verdict;
  /** 0 to 1; absent where nothing was expected. */
  readonly value?: number;
  /** What there was. */
  readonly actual?: JsonValue;
}

export interface Evaluation {
  readonly scores: readonly Score[];
  /** `fail` where one metric failed. */
  readonly verdict: Verdict;
  /** The mean of what was evaluated; absent where nothing was. */
  readonly value?: number;
}

/**
 * Compares what a run of a workflow did with what it should have done. Reads events and nothing else; what was gone back
 * over does not count (C-41).
 */
export function evaluateRun(events: readonly SessionEvent[], expected: Expectations): Evaluation {
  const { graph } = fold(events);
  const ran = graph === undefined ? [] : livePath(graph);
  const counted = ran.filter(({ status }) => status !== 'skipped' && status !== 'rejected');
  const scores: readonly Score[] = [
    pathScore(
      ran.map(({ node }) => node),
      expected.path,
    ),
    membersScore('state', graph?.state ?? {}, expected.state),
    membersScore('counts', countsOf(counted.map(({ node }) => node)), expected.counts),
    interruptsScore(asked(events), expected.interrupts),
    listScore('actions', taken(events), expected.actions),
  ];
  const values = scores.flatMap(({ value }) => (value === undefined ? [] : [value]));
  if (values.length === 0) return { scores, verdict: 'not-evaluated' };
  const isFailed = scores.some(({ verdict }) => verdict === 'fail');
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  return { scores, verdict: isFailed ? 'fail' : 'pass', value };
}

function scoreOf(metric: Score['metric'], value: number, isEnough: boolean, actual: JsonValue): Score {
  return { metric, verdict: isEnough ? 'pass' : 'fail', value, actual };
}

function pathScore(actual: readonly string[], expected: ExpectedPath | undefined): Score {
  if (expected === undefined) return { metric: 'path', verdict: 'not-evaluated' };
  const { nodes, mode = 'exact', atLeast = 1 } = expected;
  switch (mode) {
    case 'exact':
    case 'score': {
      const value = alike(actual, nodes);
      return scoreOf('path', value, value >= (mode === 'exact' ? 1 : atLeast), actual);
    }
    case 'prefix': {
      const value = alike(actual.slice(0, nodes.length), nodes);
      return scoreOf('path', value, value === 1, actual);
    }
    case 'subsequence': {
      const value = nodes.length === 0 ? 1 : followed(actual, nodes) / nodes.length;
      return scoreOf('path', value, value === 1, actual);
    }
  }
}

/** How many places agree, of those of the longer list. */
function alike(actual: readonly string[], expected: readonly string[]): number {
  const size = Math.max(actual.length, expected.length);
  return size === 0 ? 1 : expected.filter((node, index) => node === actual[index]).length / size;
}

/** How many of the expected nodes come in their order. */
function followed(actual: readonly string[], expected: readonly string[]): number {
  let found = 0;
  for (const node of actual) if (node === expected[found]) found += 1;
  return found;
}

/** The share of expected members that are there with their values; all of them must be. */
function membersScore(
  metric: 'state' | 'counts',
  actual: Readonly<Record<string, JsonValue>>,
  expected: Readonly<Record<string, JsonValue>> | undefined,
): Score {
  if (expected === undefined) return { metric, verdict: 'not-evaluated' };
  const wanted = Object.entries(expected);
  const own = (key: string): JsonValue | undefined => (Object.hasOwn(actual, key) ? actual[key] : undefined);
  // A node that never ran is expected as 0.
  const missing = metric === 'counts' ? 0 : undefined;
  const met = wanted.filter(([key, value]) => {
    const found = own(key) ?? missing;
    return found !== undefined && jsonEquals(found, value);
  });
  const value = wanted.length === 0 ? 1 : met.length / wanted.length;
  const shown = wanted.flatMap(([key]): [string, JsonValue][] => {
    const found = own(key) ?? missing;
    return found === undefined ? [] : [[key, found]];
  });
  return scoreOf(metric, value, value === 1, Object.fromEntries(shown));
}

function countsOf(nodes: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** Every question that was asked, as its kind and what asked. */
function asked(events: readonly SessionEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type !== 'interrupt-raised') return [];
    const { kind, source } = event.interrupt;
    const who = source.type === 'node' ? source.nodeId : source.type === 'tool' ? source.name : 'run';
    return [`${kind} ${who}`];
  });
}

function taken(events: readonly SessionEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'interrupt-resolved' ? [event.resolution.action] : []));
}

function interruptsScore(actual: readonly string[], expected: Expectations['interrupts']): Score {
  if (typeof expected === 'number') {
    const isMet = actual.length === expected;
    return scoreOf('interrupts', isMet ? 1 : 0, isMet, actual);
  }
  // Where only a kind is expected, whoever asks fits.
  const shown = actual.map((one, index) =>
    expected?.[index]?.includes(' ') === false ? (one.split(' ')[0] ?? one) : one,
  );
  return listScore('interrupts', shown, expected);
}

function listScore(
  metric: 'interrupts' | 'actions',
  actual: readonly string[],
  expected: readonly string[] | undefined,
): Score {
  if (expected === undefined) return { metric, verdict: 'not-evaluated' };
  const value = alike(actual, expected);
  return scoreOf(metric, value, value === 1, actual);
}
