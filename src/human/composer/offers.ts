/** Something that the line may become. */
export interface Offer {
  /** The whole line with it. */
  readonly line: string;
  readonly label: string;
  readonly help: string;
}

/** Commands, completion and history, available once the program is loaded. */
export interface Offers {
  /** Lists completions of a line, best first. */
  complete(line: string): readonly Offer[];
  /** Line that Esc Esc sends at an empty prompt. Default: none. */
  readonly back?: string;
}

export const NO_OFFERS: Offers = { complete: () => [] };
