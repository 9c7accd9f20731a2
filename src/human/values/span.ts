import type { CodeKind } from '../device/theme.js';

/** A range of a text; the end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece of a line of code. */
export interface CodeSpan extends Span {
  readonly kind: CodeKind;
}
