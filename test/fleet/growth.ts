// Whether a program that runs for long stays as it is, by figures that are measured from time to time.

/** What is measured of a process: bytes, or counts. */
export interface Figures {
  /** Behind a collection of all that nobody holds. */
  readonly heap: number;
  readonly rss: number;
  readonly descriptors: number;
  /** What keeps the loop of events busy: sockets, timers, requests. */
  readonly resources: number;
  /** Those of the process, of its streams, and of all signals that live. */
  readonly listeners: number;
  /** The signals that other signals have to tell. */
  readonly followers: number;
}
export type Figure = keyof Figures;

/** A process at one moment: `work` is how much it has done by then. */
export interface Reading extends Figures {
  /** In milliseconds. */
  readonly at: number;
  readonly work: number;
}

/** What a figure may grow by, from the second quarter of a run to the last. */
interface Limit {
  /** Growth up to here is none: figures move while a program works. */
  readonly slack: number;
  /** What it may be of what it was. */
  readonly ratio: number;
  /** What it may grow by with each piece of work. */
  readonly each: number;
}

const KB = 1_024;
const MB = 1_024 * KB;

/** All limits of a soak. */
export const LIMITS: Readonly<Record<Figure, Limit>> = {
  heap: { slack: 0.5 * MB, ratio: 1.1, each: 100 },
  rss: { slack: 16 * MB, ratio: 1.15, each: 4 * KB },
  descriptors: { slack: 8, ratio: 1.2, each: 0.01 },
  resources: { slack: 10, ratio: 1.2, each: 0.01 },
  listeners: { slack: 12, ratio: 1.2, each: 0.01 },
  followers: { slack: 60, ratio: 1.2, each: 0.05 },
};
export const FIGURES: readonly Figure[] = [
  'heap',
  'rss',
  'descriptors',
  'resources',
  'listeners',
  'followers',
];

/** How a figure grew: medians of the second quarter of the run, and of the last. */
export interface Growth {
  readonly figure: Figure;
  readonly from: number;
  readonly to: number;
  readonly ratio: number;
  /** With each piece of work between the two. */
  readonly each: number;
  readonly isFlat: boolean;
}

/**
 * How each figure of a process grew. The first quarter is what a program needs to have met everything once, and counts for
 * nothing.
 * @throws Error where a quarter has no reading
 */
export function growthOf(readings: readonly Reading[]): readonly Growth[] {
  const second = quarter(readings, 1);
  const last = quarter(readings, 3);
  const work = median(last, 'work') - median(second, 'work');
  return FIGURES.map((figure) => {
    const [from, to] = [median(second, figure), median(last, figure)];
    const growth = to - from;
    const ratio = to / Math.max(from, 1);
    const each = growth / Math.max(work, 1);
    const limit = LIMITS[figure];
    const isFlat = growth <= limit.slack || (ratio <= limit.ratio && each <= limit.each);
    return { figure, from, to, ratio, each, isFlat };
  });
}

function quarter(readings: readonly Reading[], index: number): readonly Reading[] {
  const begin = readings[0]?.at ?? 0;
  const length = ((readings.at(-1)?.at ?? 0) - begin) / 4;
  const those = readings.filter(
    ({ at }) => at >= begin + index * length && at <= begin + (index + 1) * length,
  );
  if (those.length === 0) throw new Error(`nothing was measured in quarter ${index + 1} of the run`);
  return those;
}

function median(readings: readonly Reading[], what: Figure | 'work'): number {
  const sorted = readings.map((reading) => reading[what]).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The warnings of Node in what a program wrote on stderr. */
export function warningsIn(stderr: string): readonly string[] {
  return [...stderr.matchAll(/^\(node:\d+\) .*(?:\n {4}at .*)*/gmu)].map(([warning]) => warning);
}
