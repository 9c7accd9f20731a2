import type { CodeKind } from '../device/theme.js';

/** A range of text. The end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece of a line of code and its syntactic kind. */
export interface CodeSpan extends Span {
  readonly kind: CodeKind;
}
