import type { Mutant } from './mutant.mjs';

/** All of them. */
export const mutants: readonly Mutant[];
