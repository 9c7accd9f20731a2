/**
 * Maximum size of a message from a server, in bytes. An output may have up to 15 MB, and JSON encoding can
 * make it longer.
 */
export const LARGEST_MESSAGE = 32_000_000;

const NEWLINE = 0x0a;

/** Assembles lines from the chunks of a stream in linear time. */
export class MessageLines {
  #pieces: Buffer[] = [];
  #length = 0;

  /**
   * Returns the lines that end in this chunk.
   * @throws Error for a line longer than LARGEST_MESSAGE bytes.
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

/** Returns the error for a message that is too large to read. */
export function tooLarge(): Error {
  return new Error(`it sent a message of more than ${LARGEST_MESSAGE / 1_000_000} MB`);
}
