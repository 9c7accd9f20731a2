/** Ensures that only this module creates HTML. */
const MAKER = Symbol('html');

/** A page or a part of one. Can be created only with `html`, so untrusted text is always escaped. */
export class Html {
  readonly #text: string;

  constructor(text: string, maker: symbol) {
    this.#text = maker === MAKER ? text : escaped(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** A piece of a page. Text is escaped, HTML is not, and absent pieces are left out. */
type Piece = string | number | Html | readonly Html[] | undefined | false;

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (sign) => SIGNS[sign] ?? sign);
}

/** Builds part of a page from literal markup and escaped pieces. */
export function html(words: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const text = words.reduce((made, word, index) => `${made}${written(pieces[index - 1])}${word}`);
  return new Html(text, MAKER);
}

function written(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.toString();
  return typeof piece === 'object' ? piece.map(String).join('') : escaped(String(piece));
}

/** Returns a boolean attribute, for example `checked`, or nothing. */
export function flag(
  name: 'checked' | 'required' | 'autofocus' | 'open' | 'data-yes',
  isThere: boolean,
): Html {
  return isThere ? new Html(` ${name}`, MAKER) : html``;
}

/**
 * Creates a multi-line field. A browser drops the first line break of the text, so an extra one is added. It
 * is added in code, because a formatter could remove it from an `html` template.
 */
export function textArea(attributes: Html, text: string): Html {
  return new Html(`<textarea ${attributes.toString()}>\n${escaped(text)}</textarea>`, MAKER);
}
