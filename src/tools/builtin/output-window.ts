/** The kept part of a command's output. */
export interface KeptOutput {
  readonly text: string;
  /** Number of characters omitted between the start and the end. */
  readonly omitted: number;
}

/** Keeps the start and end of a long text, and counts the characters between them. Uses constant memory. */
export class OutputWindow {
  readonly #each: number;
  #head = '';
  #tail = '';
  #omitted = 0;

  /** @param each number of characters to keep at each end of the text */
  constructor(each: number) {
    this.#each = each;
  }

  push(text: string): void {
    const room = this.#each - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Cut seldom, so that many small pieces cost no more than a few large ones.
    if (this.#tail.length > 2 * this.#each) this.#cut();
  }

  end(): KeptOutput {
    this.#cut();
    const between = this.#omitted === 0 ? '' : `\n[… ${this.#omitted} characters left out …]\n`;
    return { text: this.#head + between + this.#tail, omitted: this.#omitted };
  }

  #cut(): void {
    const over = this.#tail.length - this.#each;
    if (over <= 0) return;
    this.#omitted += over;
    this.#tail = this.#tail.slice(over);
  }
}
