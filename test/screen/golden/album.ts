/** One file: each screen under its heading, and only named where it is the same as another one. */
export class Album {
  readonly #first = new Map<string, string>();
  #text = '';

  add(heading: string, screen: string): void {
    const same = this.#first.get(screen);
    this.#text += `=== ${heading}${same === undefined ? `\n${screen}` : ` is ${same}`}\n`;
    if (same === undefined) this.#first.set(screen, heading);
  }

  get text(): string {
    return this.#text;
  }
}
