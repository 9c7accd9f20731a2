import { sha256 } from '../../core/index.js';

/**
 * A pause made shorter by chance, by at most the part `jitter` of it. The chance follows from what it is for, so a
 * process that takes a run over waits as long as the one before would have.
 */
export function shorter(wholeMs: number, jitter: number, of: readonly (string | number)[]): number {
  const chance = Number.parseInt(sha256(of.join(':')).slice(0, 8), 16) / 0xffff_ffff;
  return Math.round(wholeMs * (1 - jitter * chance));
}
