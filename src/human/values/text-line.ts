import type { CodeSpan, Span } from './span.js';
import type { ValueRow } from './value-rows.js';

/** The parts of a question, in the order in which they are shown. */
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
   * `own` and `warning` are hitl's own text, `hidden` its count of what is not shown; the others quote. `changed` has
   * the removed and the added words in one line.
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
  /** Of a `changed` line: the removed and the added words. */
  readonly both?: { readonly removed: readonly Span[]; readonly added: readonly Span[] };
  /** Kinds of code in the text, for syntax highlighting. */
  readonly code?: readonly CodeSpan[];
  /** Omitted if colors show the same. */
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
