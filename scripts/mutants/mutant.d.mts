type Edit = readonly [search: string, replacement: string];

/** One safety mechanism, with what removes it and the tests that must notice. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly edits: readonly Edit[];
  readonly tests: readonly string[];
}

/** The text of a file with the edits of a mutant; `undefined` where one of them does not fit once. */
export function mutated(original: string, edits: readonly Edit[]): string | undefined;
