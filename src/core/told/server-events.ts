// Invariants:
// E1 Pieces may end anywhere: in a character, in a line, between the two halves of a line break.
// E2 An event is told with the blank line that ends it, and not before.
// E3 Time is linear in the length of the stream, however it is cut.
// E4 No line, and no data of one event, is longer than `LONGEST_LINE`, so that what never ends does not fill the memory
//    (T18).

/** A server-sent event, from its `event` and `data` lines. */
export interface ServerEvent {
  /** Name of the event; empty if there is no `event` line. */
  readonly name: string;
  readonly data: string;
}

/**
 * Maximum length of a line and of an event's data, in characters. A server may send a complete tool input in
 * one event.
 */
const LONGEST_LINE = 8_000_000;

/** Decodes a byte stream of server-sent events. */
export class ServerEventDecoder {
  readonly #tooLong: () => Error;
  readonly #decoder = new TextDecoder();
  #endsInReturn = false;
  /** Start of a line that is not complete yet. */
  #line = '';
  #name = '';
  #data: string | undefined;

  /** @param tooLong creates the error for a line that is too long */
  constructor(tooLong: () => Error) {
    this.#tooLong = tooLong;
  }

  /**
   * Reads a piece of the stream and yields the events that end in it.
   * @throws the error created by `tooLong` (E4).
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

  /** Reads a line. Comments, ids and retry times are ignored. */
  #read(line: string): void {
    if (line.startsWith('data:')) {
      const value = valueOf(line, 'data:'.length);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      if (this.#data.length > LONGEST_LINE) throw this.#tooLong();
    } else if (line.startsWith('event:')) this.#name = valueOf(line, 'event:'.length);
  }

  /** Ends an event. A name without data is not an event and does not apply to the next one. */
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
