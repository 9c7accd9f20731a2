import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { Arming } from '../../src/human/device/arming.js';

describe('G30: arming', () => {
  test.for([0, 10, 120, 299])('a key %i ms after drawing does not count', (at) => {
    expect(new Arming(1000).accepts(1000 + at)).toBe(false);
  });

  test('a key 300 ms after drawing counts', () => {
    expect(new Arming(1000).accepts(1300)).toBe(true);
  });

  test('a key from before drawing does not count', () => {
    expect(new Arming(1000).accepts(900)).toBe(false);
  });

  test('after an early key, 400 ms without any are needed', () => {
    const arming = new Arming(0);
    expect([250, 400, 700, 1101].map((at) => arming.accepts(at))).toEqual([false, false, false, true]);
  });

  test.for([20, 33, 120, 390])('keys that keep coming every %i ms never count', (every) => {
    const arming = new Arming(0);
    const counted = Array.from({ length: 400 }, (_, index) => index * every).filter((at) =>
      arming.accepts(at),
    );
    expect(counted).toEqual([]);
    expect(arming.accepts(399 * every + 400)).toBe(true);
  });

  test('a paste asks for quiet again, also after a long time', () => {
    const arming = new Arming(0);
    arming.disturb(10_000);
    expect([10_001, 10_300].map((at) => arming.accepts(at))).toEqual([false, false]);
    expect(arming.accepts(10_701)).toBe(true);
  });

  test('drawing again starts again', () => {
    const arming = new Arming(0);
    arming.restart(5000);
    expect([5100, 5299].map((at) => arming.accepts(at))).toEqual([false, false]);
  });

  test('nothing ever counts in the first 300 ms', () => {
    const times = fc.array(fc.nat(299), { maxLength: 20 });
    fc.assert(
      fc.property(times, (ats) => {
        const arming = new Arming(0);
        expect(ats.sort((left, right) => left - right).some((at) => arming.accepts(at))).toBe(false);
      }),
    );
  });
});
