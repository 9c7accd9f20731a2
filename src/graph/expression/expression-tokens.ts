import type { HitlError } from '../../core/index.js';
import type { Token } from './expression-lex.js';
import { conditionError, lexCondition } from './expression-lex.js';

/** A position among a condition's tokens; quoted strings and numbers never match a word or operator. */
export class TokenCursor {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  /** @throws HitlError BAD_GRAPH if the text has no tokens. */
  constructor(text: string) {
    this.#text = text;
    this.#tokens = lexCondition(text);
  }

  /** Returns the next token; always `end` after the last. */
  peek(): Token {
    return this.#tokens[this.#next] ?? { type: 'end', at: this.#text.length, text: '' };
  }

  /** Whether the token `ahead` is this word or operator. */
  is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#next + ahead];
    return token !== undefined && (token.type === 'word' || token.type === 'sign') && token.text === text;
  }

  skip(tokens = 1): void {
    this.#next += tokens;
  }

  /** Skips the next token if it is this word or operator; otherwise returns false. */
  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.#next += 1;
    return true;
  }

  /** Skips the next token if it is one of these, and returns it. */
  takeOne<const S extends string>(texts: readonly S[]): S | undefined {
    return texts.find((text) => this.take(text));
  }

  /** @throws HitlError BAD_GRAPH if the next token is another one. */
  need(sign: string): void {
    if (!this.take(sign)) throw this.expected(`\`${sign}\``);
  }

  /** The error for an unexpected token. */
  expected(wanted: string): HitlError {
    const { at, type, text } = this.peek();
    return this.error(at, `expected ${wanted}, got ${type === 'end' ? 'the end' : `\`${text}\``}`);
  }

  /** An error at an offset. */
  error(at: number, problem: string, hint?: string): HitlError {
    return conditionError(this.#text, at, problem, hint);
  }
}
