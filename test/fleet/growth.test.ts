import { describe, expect, test } from 'vitest';

import type { Figure, Figures, Reading } from './growth.js';
import { growthOf, LIMITS, warningsIn } from './growth.js';

const MB = 1_048_576;
const STILL: Figures = {
  ...{ heap: 30 * MB, rss: 120 * MB, descriptors: 30, resources: 9, listeners: 28, followers: 4 },
};
const MINUTES = 60;

/** A reading each minute, of a program that does a hundred pieces of work in each. */
function hour(at: (minute: number) => Partial<Figures>): readonly Reading[] {
  return Array.from({ length: MINUTES + 1 }, (_, minute) => ({
    ...STILL,
    ...at(minute),
    at: minute * 60_000,
    work: minute * 100,
  }));
}

const growing = (readings: readonly Reading[]): readonly Figure[] =>
  growthOf(readings).flatMap(({ figure, isFlat }) => (isFlat ? [] : [figure]));

describe('a soak', () => {
  test('finds a program that stays as it is flat in each figure', () => {
    expect(growthOf(hour(() => ({})))).toEqual(
      Object.entries(STILL).map(([figure, value]) => ({
        ...{ figure, from: value, to: value, ratio: 1, each: 0, isFlat: true },
      })),
    );
  });

  test.for([
    [
      '300 bytes of each piece of work',
      (minute: number) => ({ heap: STILL.heap + minute * 100 * 300 }),
      'heap',
    ],
    ['memory outside of the heap', (minute: number) => ({ rss: STILL.rss + minute * 100 * 6_000 }), 'rss'],
    [
      'a descriptor a minute',
      (minute: number) => ({ descriptors: STILL.descriptors + minute }),
      'descriptors',
    ],
    ['a timer a minute', (minute: number) => ({ resources: STILL.resources + minute }), 'resources'],
    ['a listener of each second session', (minute: number) => ({ listeners: 28 + minute * 50 }), 'listeners'],
    ['a signal a second, also idle', (minute: number) => ({ followers: minute * 60 }), 'followers'],
  ] as const)('finds what keeps %s', ([, at, figure]) => {
    expect(growing(hour(at))).toEqual([figure]);
  });

  test('says what a figure grew by with each piece of work, from the second quarter to the last', () => {
    const [heap] = growthOf(hour((minute) => ({ heap: 30 * MB + minute * 100 * 300 })));
    const [from, to] = [30 * MB + 23 * 30_000, 30 * MB + 53 * 30_000];
    expect(heap).toEqual({ figure: 'heap', from, to, ratio: to / from, each: 300, isFlat: false });
  });

  test('leaves what a program grows by at first, and what moves while it works', () => {
    const warm = (minute: number): number => (minute < 10 ? 10 * MB + minute * 2 * MB : 30 * MB);
    const moved = (minute: number): Partial<Figures> => ({
      heap: warm(minute) + (minute % 3) * 50_000,
      listeners: 28 + (minute % 5) * 10,
      descriptors: minute === 58 ? 400 : 30,
    });
    expect(growing(hour(moved))).toEqual([]);
  });

  test('does not judge a run that was hardly measured', () => {
    expect(() => growthOf(hour(() => ({})).slice(0, 2))).toThrow(
      'nothing was measured in quarter 2 of the run',
    );
    expect(() => growthOf([])).toThrow('nothing was measured in quarter 2 of the run');
  });

  test('has a limit for each figure, which what stays the same keeps', () => {
    expect(Object.keys(LIMITS)).toEqual(Object.keys(STILL));
  });

  test('tells the warnings of Node from what a program says, with where they come from', () => {
    const warning =
      '(node:17) MaxListenersExceededWarning: Possible EventTarget memory leak detected.\n    at one (file:///a.js:1:1)\n    at two (file:///b.js:2:2)';
    const said = `worker: 4 at the same time; Ctrl-C stops\n${warning}\nworker: (node:17) is no warning here\n`;
    expect(warningsIn(said)).toEqual([warning]);
  });
});
