/** Lines of a text, as returned by one call. */
export interface FilePart {
  readonly content: string;
  readonly fromLine: number;
  readonly toLine: number;
  /** Number of lines in the text. Absent if reading stopped before the end. */
  readonly totalLines?: number;
  /** Whether the part was cut at the limit of one call. */
  readonly truncated?: true;
}

export interface WantedLines {
  /** Counted from 1. */
  readonly fromLine: number;
  readonly maxLines: number;
  /**
   * Maximum number of characters per call. The first line is cut at the limit; later lines that do not fit
   * are omitted.
   */
  readonly maxCharacters: number;
}

/** Extracts a range of lines from streamed text without storing the other lines. */
export class PartTaker {
  readonly #wanted: WantedLines;
  readonly #kept: string[] = [];
  /** Number of the line being read. */
  #line = 1;
  #text = '';
  #length = 0;
  #left: number;
  #isFull = false;

  constructor(wanted: WantedLines) {
    this.#wanted = wanted;
    this.#left = wanted.maxCharacters;
  }

  /** Whether the part is complete and further text cannot belong to it. */
  get isComplete(): boolean {
    const { fromLine, maxLines } = this.#wanted;
    return this.#isFull || this.#line >= fromLine + maxLines || (this.#isWanted && this.#length > this.#left);
  }

  push(piece: string): void {
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      this.#add(piece, from, end);
      this.#endLine();
      from = end + 1;
    }
    this.#add(piece, from, piece.length);
  }

  /** Returns the extracted part. `whole` means that the text was read to its end. */
  end(whole: boolean): FilePart {
    const endsOpen = this.#length > 0;
    if (endsOpen) this.#endLine();
    const total = this.#line - 1;
    const { fromLine } = this.#wanted;
    const toLine = fromLine - 1 + this.#kept.length;
    const endsText = whole && toLine === total && !endsOpen && this.#kept.length > 0;
    return {
      content: this.#kept.join('\n') + (endsText ? '\n' : ''),
      fromLine,
      toLine,
      ...(whole && { totalLines: total }),
      ...((this.#isFull || this.#left < -1) && { truncated: true }),
    };
  }

  get #isWanted(): boolean {
    const { fromLine, maxLines } = this.#wanted;
    return !this.#isFull && this.#line >= fromLine && this.#line < fromLine + maxLines;
  }

  #add(piece: string, from: number, to: number): void {
    this.#length += to - from;
    if (!this.#isWanted) return;
    const room = Math.max(this.#left + 1 - this.#text.length, 0);
    this.#text += piece.slice(from, Math.min(to, from + room));
  }

  #endLine(): void {
    if (this.#isWanted) {
      if (this.#kept.length > 0 && this.#length >= this.#left) this.#isFull = true;
      else {
        this.#kept.push(this.#text.slice(0, this.#left));
        this.#left -= this.#length + 1;
      }
    }
    this.#line += 1;
    this.#text = '';
    this.#length = 0;
  }
}
