/** Largest message from a server, in bytes: an output may have 15 MB, and JSON makes some of it longer. */
export const LARGEST_MESSAGE = 32_000_000;

const NEWLINE = 0x0a;

/** Assembles lines from a stream's pieces in linear time. */
export class MessageLines {
  #pieces: Buffer[] = [];
  #length = 0;

  /**
   * The lines that end in this piece.
   * @throws Error for a line of more than LARGEST_MESSAGE bytes.
   */
  append(piece: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, end));
      lines.push(Buffer.concat(this.#pieces).toString('utf8'));
      this.#pieces = [];
      this.#length = 0;
      from = end + 1;
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > LARGEST_MESSAGE) throw tooLarge();
    this.#pieces.push(piece);
  }
}

/** The error for a message that is too long to read. */
export function tooLarge(): Error {
  return new Error(`it sent a message of more than ${LARGEST_MESSAGE / 1_000_000} MB`);
}
