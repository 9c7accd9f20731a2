import type { CodeSpan, Span } from './span.js';
import type { ValueRow } from './value-rows.js';

/** Which part of a question a line belongs to, in the order in which they are shown. */
export type QuestionPart =
  | 'question'
  | 'input'
  | 'last'
  | 'state'
  | 'diff'
  | 'facts'
  | 'warnings'
  | 'says'
  | 'why'
  | 'effect'
  | 'answer';

/**
 * One line of a question, safe for a terminal. `gutter` is drawn before every screen row of the line,
 * including wrapped ones; foreign text never appears left of it.
 */
export interface QuestionLine {
  readonly part: QuestionPart;
  /**
   * `own` and `warning` are the product's words, `hidden` its count of what is not shown; the rest quotes. `changed` has
   * the words that go and those that come in one line.
   */
  readonly tone: 'own' | 'warning' | 'hidden' | 'quoted' | 'added' | 'removed' | 'changed';
  readonly gutter: string;
  /** A key with its colon and padding. */
  readonly label?: string;
  readonly text: string;
  /** Safe note, shown after the text if there is room. */
  readonly note?: string;
  /** Ranges that differ from the corresponding old or new line. */
  readonly changed?: readonly Span[];
  /** Of a line that has both: the words that go, and those that come. */
  readonly both?: { readonly removed: readonly Span[]; readonly added: readonly Span[] };
  /** The kinds of the pieces of the text as code. */
  readonly code?: readonly CodeSpan[];
  /** Left out if colours show the same. */
  readonly isPlainOnly?: true;
}

/** A line in our own words. The caller escapes quoted text. */
export function ownLine(part: QuestionPart, text: string): QuestionLine {
  return { part, tone: 'own', gutter: '', text };
}

/** Rows of a value as lines of a part. */
export function quotedLines(part: QuestionPart, rows: readonly ValueRow[]): readonly QuestionLine[] {
  return rows.map(({ hidden, ...row }) => ({ part, tone: hidden === true ? 'hidden' : 'quoted', ...row }));
}
