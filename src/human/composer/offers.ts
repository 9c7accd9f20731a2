/** A completion for the input line. */
export interface Offer {
  /** The whole line, including the completion. */
  readonly line: string;
  readonly label: string;
  readonly help: string;
}

/** Completions and the line that Esc Esc sends, available once the program is loaded. */
export interface Offers {
  /** Returns the completions of a line, best first. */
  complete(line: string): readonly Offer[];
  /** The line that Esc Esc sends at an empty prompt. Default: none. */
  readonly back?: string;
}

export const NO_OFFERS: Offers = { complete: () => [] };
