import type { CodeSpan, Span } from './span.js';
import type { ValueRow } from './value-rows.js';

/** The parts of a question, in display order. */
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
 * including wrapped rows. Untrusted text never appears to the left of it.
 */
export interface QuestionLine {
  readonly part: QuestionPart;
  /**
   * `own` and `warning` mark hitl's own text, and `hidden` marks its count of hidden text. The other values
   * mark quoted text. A `changed` line contains removed and added words.
   */
  readonly tone: 'own' | 'warning' | 'hidden' | 'quoted' | 'added' | 'removed' | 'changed';
  readonly gutter: string;
  /** Key with its colon and padding. */
  readonly label?: string;
  readonly text: string;
  /** Escaped note, shown after the text if there is room. */
  readonly note?: string;
  /** Ranges that differ from the corresponding line in the other version. */
  readonly changed?: readonly Span[];
  /** Removed and added words of a `changed` line. */
  readonly both?: { readonly removed: readonly Span[]; readonly added: readonly Span[] };
  /** Syntactic kinds of the code in the text, for highlighting. */
  readonly code?: readonly CodeSpan[];
  /** Whether to omit the line if colors already show the same information. */
  readonly isPlainOnly?: true;
}

/** Creates a line of the product's own text. The caller must escape any quoted text in it. */
export function ownLine(part: QuestionPart, text: string): QuestionLine {
  return { part, tone: 'own', gutter: '', text };
}

/** Converts the rows of a value to question lines. */
export function quotedLines(part: QuestionPart, rows: readonly ValueRow[]): readonly QuestionLine[] {
  return rows.map(({ hidden, ...row }) => ({ part, tone: hidden === true ? 'hidden' : 'quoted', ...row }));
}
