import type { CodeKind } from '../device/theme.js';

/** A piece of a text, from one character to before another. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece of a line of code. */
export interface CodeSpan extends Span {
  readonly kind: CodeKind;
}
