import { columnsOf, plainLine } from '../../core/index.js';
import type { Offer } from './offers.js';

/** Number of rows shown at once. */
const MOST_ROWS = 8;

/** The list of completions shown while typing. */
export class Palette {
  readonly #offers: readonly Offer[];
  #active = 0;

  /** @param former the previous list, whose selection is kept if it is still listed. */
  constructor(offers: readonly Offer[], former: Palette | undefined) {
    this.#offers = offers;
    const chosen = former?.chosen?.line;
    this.#active = Math.max(
      0,
      offers.findIndex(({ line }) => line === chosen),
    );
  }

  get chosen(): Offer | undefined {
    return this.#offers[this.#active];
  }

  move(step: -1 | 1): void {
    this.#active = (this.#active + step + this.#offers.length) % this.#offers.length;
  }

  /**
   * Returns the line completed with the selection, or with the common prefix of all completions if that is
   * longer.
   */
  completed(line: string): string {
    const [first = '', ...others] = this.#offers.map((offer) => offer.line);
    if (this.#active > 0) return this.chosen?.line ?? line;
    let common = first;
    for (const other of others) while (!other.startsWith(common)) common = common.slice(0, -1);
    return common.length > line.length ? common : first;
  }

  rows(columns: number): readonly string[] {
    const width = Math.max(...this.#offers.map(({ label }) => columnsOf(label))) + 2;
    const first = Math.max(0, Math.min(this.#active - MOST_ROWS + 1, this.#offers.length - MOST_ROWS));
    const shown = this.#offers.slice(first, first + MOST_ROWS).map(({ label, help }, index) => {
      const mark = first + index === this.#active ? '❯ ' : '  ';
      const head = plainLine(`${mark}${label}`, columns - 1);
      const room = columns - 1 - mark.length - width;
      if (help === '' || room <= 0) return head;
      // The gap is ours: many spaces of somebody else's are counted, and not drawn.
      return `${head}${' '.repeat(width + mark.length - columnsOf(head))}${plainLine(help, room)}`;
    });
    const left = this.#offers.length - first - shown.length;
    return left > 0 ? [...shown, `  ${left} more`] : shown;
  }
}
