import { columnsOf } from '../../core/index.js';
import { safeText } from '../safe-text.js';
import type { Theme } from '../theme.js';
import { LONGEST_INLINE } from './inline.js';

/** The start of a markdown line. */
export type LineStart =
  | { readonly type: 'blank' }
  | { readonly type: 'fence'; readonly mark: string }
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'rule' }
  | { readonly type: 'table-row' }
  /** Text after quote and list markers, which are shown as `prefix`. `hang` indents its continuation rows. */
  | { readonly type: 'text'; readonly prefix: string; readonly hang: string; readonly text: string };

const FENCE = /^\s*(`{3,}|~{3,})[^`]*$/;
const HEADING = /^ {0,3}#{1,6}(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const TABLE_ROW = /^ {0,3}\|/;
const QUOTE = /^\s{0,3}>\s?/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9}[.)]))(?:\s+|$)/;
const TASK = /^\[([ xX])\]\s+/;

/** Matches a line whose kind may still change as more of it arrives. */
const UNDECIDED =
  /^[\s>]*(?:[-*+_=#`~|]*|(?:[-*_]\s*)*|\d{1,9}[.)]?|(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]?\]?\s*)?)$/;

/**
 * Whether the start of a line determines its kind. Headings, tables and fences are shown as whole lines, so
 * they are not identified early unless they exceed `LONGEST_INLINE`.
 */
export function isTelling(beginning: string): boolean {
  if (beginning.length > LONGEST_INLINE) return true;
  if (UNDECIDED.test(beginning) || /^\s*(?:`{3}|~{3})/.test(beginning)) return false;
  return !/^ {0,3}(?:#|\|)/.test(beginning);
}

function bars(line: string, theme: Theme): { readonly prefix: string; readonly rest: string } {
  let prefix = '';
  let rest = line;
  for (let mark = QUOTE.exec(rest); mark !== null; mark = QUOTE.exec(rest)) {
    prefix += `${theme.dim(theme.symbols.bar)} `;
    rest = rest.slice(mark[0].length);
  }
  return { prefix, rest };
}

function itemMark(line: string, theme: Theme): { readonly prefix: string; readonly rest: string } {
  const item = ITEM.exec(line);
  if (item === null) return { prefix: '', rest: line };
  const rest = line.slice(item[0].length);
  const prefix = `${safeText(item[1] ?? '')}${item[2] ?? theme.symbols.bullet} `;
  const task = TASK.exec(rest);
  if (task === null) return { prefix, rest };
  return { prefix: `${prefix}[${task[1] === ' ' ? ' ' : 'x'}] `, rest: rest.slice(task[0].length) };
}

/** Identifies the kind of a line. `line` is the whole line, or a start for which `isTelling` returns true. */
export function lineStart(line: string, theme: Theme): LineStart {
  if (line.trim() === '') return { type: 'blank' };
  const fence = FENCE.exec(line);
  if (fence !== null) return { type: 'fence', mark: fence[1] ?? '' };
  const heading = line.length > LONGEST_INLINE ? null : HEADING.exec(line);
  if (heading !== null) return { type: 'heading', text: heading[1] ?? '' };
  if (RULE.test(line)) return { type: 'rule' };
  if (TABLE_ROW.test(line)) return { type: 'table-row' };
  const quote = bars(line, theme);
  const item = itemMark(quote.rest, theme);
  const hang = quote.prefix + ' '.repeat(columnsOf(item.prefix));
  return { type: 'text', prefix: quote.prefix + item.prefix, hang, text: item.rest };
}

/** Whether a line closes a code block opened with `mark`. */
export function endsFence(line: string, mark: string): boolean {
  const close = line.trim();
  return close.length >= mark.length && close === (mark[0] ?? '').repeat(close.length);
}
