/** Something that the line may become. */
export interface Offer {
  /** The whole line with it. */
  readonly line: string;
  /** As it is shown; plain text of the product, or escaped. */
  readonly label: string;
  readonly help: string;
}

/** The abilities of the line beyond text; they come when the program is loaded. */
export interface Offers {
  /** Lists what a line so far may become, best first. */
  complete(line: string): readonly Offer[];
  /** The line that Esc Esc sends where nothing is typed. Default: none. */
  readonly back?: string;
}

export const NO_OFFERS: Offers = { complete: () => [] };
