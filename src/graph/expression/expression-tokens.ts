import type { HitlError } from '../../core/index.js';
import type { Token } from './expression-lex.js';
import { conditionError, lexCondition } from './expression-lex.js';

/** A cursor over a condition's tokens. Quoted strings and numbers never match a word or operator. */
export class TokenCursor {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  /** @throws HitlError BAD_GRAPH if the text cannot be split into tokens. */
  constructor(text: string) {
    this.#text = text;
    this.#tokens = lexCondition(text);
  }

  /** Returns the next token, or `end` after the last one. */
  peek(): Token {
    return this.#tokens[this.#next] ?? { type: 'end', at: this.#text.length, text: '' };
  }

  /** Whether the next token, or the one `ahead` positions after it, is this word or operator. */
  is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#next + ahead];
    return token !== undefined && (token.type === 'word' || token.type === 'sign') && token.text === text;
  }

  skip(tokens = 1): void {
    this.#next += tokens;
  }

  /** If the next token is this word or operator, skips it and returns true; otherwise returns false. */
  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.#next += 1;
    return true;
  }

  /** If the next token is one of these words or operators, skips it and returns it. */
  takeOne<const S extends string>(texts: readonly S[]): S | undefined {
    return texts.find((text) => this.take(text));
  }

  /**
   * Skips the next token.
   * @throws HitlError BAD_GRAPH if it is not this word or operator.
   */
  need(sign: string): void {
    if (!this.take(sign)) throw this.expected(`\`${sign}\``);
  }

  /** Creates the error for an unexpected token. */
  expected(wanted: string): HitlError {
    const { at, type, text } = this.peek();
    return this.error(at, `expected ${wanted}, got ${type === 'end' ? 'the end' : `\`${text}\``}`);
  }

  /** Creates an error at an offset. */
  error(at: number, problem: string, hint?: string): HitlError {
    return conditionError(this.#text, at, problem, hint);
  }
}
