/** The kept part of a command's output. */
export interface KeptOutput {
  readonly text: string;
  /** Characters between head and tail that were not kept. */
  readonly omitted: number;
}

/** Keeps the start and end of a long text, and counts the middle; memory is constant. */
export class OutputWindow {
  readonly #each: number;
  #head = '';
  #tail = '';
  #omitted = 0;

  /** @param each characters to keep of the beginning, and as many of the end */
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
