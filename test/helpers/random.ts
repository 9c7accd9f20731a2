/** Chance that comes back with the same seed: a whole number below `below`. */
export type Random = (below: number) => number;

/** A generator for faults (mulberry32); good enough to spread them, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
