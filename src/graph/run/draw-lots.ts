/** A number in 0..1 that follows from a seed and a position alone (C-16). */
export function drawAt(seed: number, position: number): number {
  // mulberry32, one step from a state of its own for each position
  let t = (seed + Math.imul(position + 1, 0x6d2b79f5)) >>> 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}
