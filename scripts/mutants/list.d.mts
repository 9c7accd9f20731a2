/** One safety mechanism, with what removes it and the tests that must notice. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly edits: readonly (readonly [search: string, replacement: string])[];
  readonly tests: readonly string[];
}

/** All of them. */
export const mutants: readonly Mutant[];
