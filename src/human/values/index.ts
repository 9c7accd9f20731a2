export type { FoldLimits, Hidden } from './fold.js';
export { FOLD_LIMITS, NOTHING_HIDDEN, addHidden, foldRows, isLong } from './fold.js';
export type { CodeSpan, Span } from './span.js';
export type { QuestionLine, QuestionPart } from './text-line.js';
export { ownLine, quotedLines } from './text-line.js';
export {
  BLOCK,
  GUTTER,
  hiddenText,
  shownKey,
  shownLabel,
  shownNumber,
  shownString,
  valueRows,
} from './value-rows.js';
