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
 * One line of a question, safe for a terminal. `gutter` is drawn by the product before every screen row of the line,
 * also where it is wrapped; text from outside never stands left of it.
 */
export interface QuestionLine {
  readonly part: QuestionPart;
  /** `own` and `warning` are the product's words, `hidden` its count of what is not shown; the rest quotes. */
  readonly tone: 'own' | 'warning' | 'hidden' | 'quoted' | 'added' | 'removed';
  readonly gutter: string;
  /** A key with its colon and padding. */
  readonly label?: string;
  readonly text: string;
  /** Safe text about it, behind it where there is room. */
  readonly note?: string;
  /** Pieces of the text that differ from the line that it takes the place of, or that takes its place. */
  readonly changed?: readonly Span[];
  /** The kinds of the pieces of the text as code. */
  readonly code?: readonly CodeSpan[];
  /** Left out where colours say it. */
  readonly isPlainOnly?: true;
}

/** A line of the product's own words. Whatever it quotes is escaped by whoever writes it. */
export function ownLine(part: QuestionPart, text: string): QuestionLine {
  return { part, tone: 'own', gutter: '', text };
}

/** Rows of a value as lines of a part. */
export function quotedLines(part: QuestionPart, rows: readonly ValueRow[]): readonly QuestionLine[] {
  return rows.map(({ hidden, ...row }) => ({ part, tone: hidden === true ? 'hidden' : 'quoted', ...row }));
}
