import type { Readable } from 'node:stream';

import { HitlError, messageOf, untilResolved } from '../../core/index.js';

// Invariants:
// N1 One reader: whoever wants a line of a stream asks this object, so that no line is taken twice or lost between readers.
// N2 A line that was not returned stays for the next call, also when a call was aborted.
// N3 Reading ahead is bounded: `yes | hitl chat` does not fill the memory.

/** A line of input, without its line break. */
export interface Line {
  readonly text: string;
  /** Counts from 1. */
  readonly number: number;
}

/** Reads a stream line by line. It must be the stream's only reader (G29). */
export interface LineSource {
  /**
   * Returns the next line, or `undefined` at the end. A last line without a line break is included. If the
   * signal aborts, rejects with its reason and does not consume a line (N2).
   * @throws HitlError BAD_INPUT with the line number if a line is not UTF-8, contains NUL or is too long. No
   * further lines are returned.
   */
  next(signal: AbortSignal): Promise<Line | undefined>;
  /** Returns the buffered lines without waiting for more or consuming them. Leaves out unreadable lines. */
  arrived(): readonly Line[];
  /** Stops reading and releases the stream, so that the process can exit. */
  close(): void;
}

/** A stream to read lines from, such as `stream.Readable` or `process.stdin`. */
export type LineInput = Readable;

export interface LineSourceOptions {
  /** Name of the source in messages. Default: `stdin`. */
  readonly name?: string;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Number of unread bytes at which the stream is paused (N3). */
const READ_AHEAD_BYTES = 1 << 20;
const MAX_LINE_BYTES = 64 << 20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Creates a line source for a byte stream. Reading starts when the first line is requested. */
export function createLineSource(input: LineInput, { name = 'stdin' }: LineSourceOptions = {}): LineSource {
  return new StreamLines(input, name);
}

/** Returns a source without lines, for use if stdin is not read or has another purpose. */
export function noLines(): LineSource {
  return { next: async () => undefined, arrived: () => [], close: () => undefined };
}

class StreamLines implements LineSource {
  readonly #input: LineInput;
  readonly #name: string;
  /** Complete lines as bytes. The lines before `#head` have been consumed. */
  #lines: Uint8Array[] = [];
  #head = 0;
  /** Pieces of the incomplete line. They are joined only once, so that a 10 MB line takes linear time. */
  #partial: Uint8Array[] = [];
  #partialBytes = 0;
  #waitingBytes = 0;
  #taken = 0;
  #state: 'new' | 'open' | 'ended' = 'new';
  #failure: HitlError | undefined;
  #wake: (() => void) | undefined;

  constructor(input: LineInput, name: string) {
    this.#input = input;
    this.#name = name;
  }

  async next(signal: AbortSignal): Promise<Line | undefined> {
    this.#start();
    for (;;) {
      signal.throwIfAborted();
      const bytes = this.#lines[this.#head];
      if (bytes !== undefined) return this.#take(bytes);
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#state === 'ended') return undefined;
      this.#input.resume();
      await this.#arrival(signal);
    }
  }

  arrived(): readonly Line[] {
    return this.#lines.slice(this.#head).flatMap((bytes, index) => {
      const text = textOf(bytes);
      return text === undefined ? [] : [{ text, number: this.#taken + index + 1 }];
    });
  }

  close(): void {
    if (this.#state !== 'new') this.#input.pause();
    this.#state = 'ended';
    this.#forget();
    this.#partial = [];
    this.#input.destroy();
    this.#wake?.();
  }

  #start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'open';
    this.#input.on('data', (chunk) => {
      if (chunk instanceof Uint8Array) this.#add(chunk);
      else if (typeof chunk === 'string') this.#add(Buffer.from(chunk));
    });
    this.#input.on('end', () => {
      this.#end();
    });
    this.#input.on('close', () => {
      this.#end();
    });
    this.#input.on('error', (error) => {
      this.#fail(`cannot read ${this.#name}: ${messageOf(error)}`);
    });
  }

  #add(chunk: Uint8Array): void {
    if (this.#state !== 'open') return;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#finishLine(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keepPartial(chunk.subarray(start));
    if (this.#waitingBytes + this.#partialBytes > READ_AHEAD_BYTES && this.#lines.length > this.#head)
      this.#input.pause(); // N3
    this.#wake?.();
  }

  #keepPartial(piece: Uint8Array): void {
    this.#partial.push(piece);
    this.#partialBytes += piece.length;
    if (this.#partialBytes <= MAX_LINE_BYTES) return;
    const number = this.#taken + this.#lines.length - this.#head + 1;
    this.#fail(`line ${number} of ${this.#name} is longer than ${MAX_LINE_BYTES} bytes`);
  }

  #finishLine(last: Uint8Array): void {
    const bytes = this.#partial.length === 0 ? last : Buffer.concat([...this.#partial, last]);
    this.#partial = [];
    this.#partialBytes = 0;
    this.#lines.push(bytes);
    this.#waitingBytes += bytes.length + 1;
  }

  #end(): void {
    if (this.#state !== 'open') return;
    if (this.#partialBytes > 0 && !this.#isOnlyMark()) this.#finishLine(new Uint8Array());
    this.#state = 'ended';
    this.#wake?.();
  }

  /** Whether the input consists only of a byte order mark, which some shells write for empty input. */
  #isOnlyMark(): boolean {
    if (this.#taken > 0 || this.#lines.length > 0 || this.#partialBytes !== BYTE_ORDER_MARK.length)
      return false;
    return BYTE_ORDER_MARK.equals(Buffer.concat(this.#partial));
  }

  #fail(message: string): void {
    this.#failure ??= new HitlError('BAD_INPUT', message, { hint: 'the following lines were not read' });
    this.#partial = [];
    this.#partialBytes = 0;
    this.#state = 'ended';
    this.#wake?.();
  }

  #take(bytes: Uint8Array): Line {
    this.#taken += 1;
    this.#head += 1;
    this.#waitingBytes -= bytes.length + 1;
    if (this.#head === this.#lines.length) this.#forget();
    const first = this.#taken === 1;
    const text = textOf(first ? withoutMark(bytes) : bytes);
    if (text !== undefined) return { text, number: this.#taken };
    const what = bytes.includes(0) ? 'contains a NUL character' : 'is not UTF-8';
    this.#fail(`line ${this.#taken} of ${this.#name} ${what}`);
    this.#forget();
    throw this.#failure ?? new HitlError('INTERNAL', 'the failure was not recorded');
  }

  #forget(): void {
    this.#lines = [];
    this.#head = 0;
    this.#waitingBytes = 0;
  }

  /** Waits until more input arrives or the input ends. */
  #arrival(signal: AbortSignal): Promise<void> {
    return untilResolved(
      signal,
      (resolve) => {
        this.#wake = resolve;
      },
      () => {
        this.#wake = undefined;
      },
    );
  }
}

/**
 * Decodes a line, without the carriage return of a CRLF line break. Returns `undefined` if the line is not
 * UTF-8 or contains NUL.
 */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end));
  } catch {
    return undefined; // the caller says which line
  }
}

/** Removes a leading byte order mark. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  const { length } = BYTE_ORDER_MARK;
  return BYTE_ORDER_MARK.equals(bytes.subarray(0, length)) ? bytes.subarray(length) : bytes;
}
