// Invariants:
// E1 Pieces may end anywhere: in a character, in a line, between the two halves of a line break.
// E2 An event is told with the blank line that ends it, and not before.
// E3 Time is linear in the length of the stream, however it is cut.
// E4 No line, and no data of one event, is longer than `LONGEST_LINE`, so that what never ends does not fill the memory
//    (T18).

/** The `event` and `data` lines of one server-sent event. */
export interface ServerEvent {
  /** Empty if no line names the event. */
  readonly name: string;
  readonly data: string;
}

/**
 * Longest line, and longest data of one event, in characters. A server may send a complete tool input in one
 * event.
 */
const LONGEST_LINE = 8_000_000;

/** Reads a stream of server-sent events from its bytes. */
export class ServerEventDecoder {
  readonly #tooLong: () => Error;
  readonly #decoder = new TextDecoder();
  #endsInReturn = false;
  /** Start of an incomplete line. */
  #line = '';
  #name = '';
  #data: string | undefined;

  /** `tooLong` creates the error of a line that is too long. */
  constructor(tooLong: () => Error) {
    this.#tooLong = tooLong;
  }

  /**
   * Reads the next piece completely; yields the events that end in it.
   * @throws the error of `tooLong` (E4).
   */
  *take(piece: Uint8Array): Generator<ServerEvent, void, undefined> {
    const text = this.#unix(this.#decoder.decode(piece, { stream: true }));
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#line + text.slice(start, end);
      this.#line = '';
      start = end + 1;
      if (line.length > LONGEST_LINE) throw this.#tooLong();
      if (line !== '') this.#read(line);
      else {
        const event = this.#end();
        if (event !== undefined) yield event;
      }
    }
    this.#line += text.slice(start); // E3: never searched again
    if (this.#line.length > LONGEST_LINE) throw this.#tooLong();
  }

  /** Normalizes the three kinds of line breaks to `\n`. */
  #unix(text: string): string {
    const rest = this.#endsInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#endsInReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  }

  /** Ignores comments, ids and retry times. */
  #read(line: string): void {
    if (line.startsWith('data:')) {
      const value = valueOf(line, 'data:'.length);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      if (this.#data.length > LONGEST_LINE) throw this.#tooLong();
    } else if (line.startsWith('event:')) this.#name = valueOf(line, 'event:'.length);
  }

  /** A name without data is not an event, and does not apply to the next one. */
  #end(): ServerEvent | undefined {
    const name = this.#name;
    const data = this.#data;
    this.#name = '';
    this.#data = undefined;
    return data === undefined ? undefined : { name, data };
  }
}

function valueOf(line: string, from: number): string {
  return line.slice(line.startsWith(' ', from) ? from + 1 : from);
}
