import { columnsOf, escapeText } from '../core/index.js';
import type { Style, Theme } from './theme.js';
import { cutToWidth } from './width.js';

/** The theme and width that a renderer needs to draw a line. */
export interface Drawing {
  readonly theme: Theme;
  readonly columns: number;
}

/** The start of a line, before its value or message. */
export interface StatusHead {
  readonly symbol: string;
  readonly style: Style;
  /** Untrusted text, escaped when drawn. */
  readonly name: string;
  /** Description of the event: our own wording, or escaped text. */
  readonly verb?: string;
}

/** Formats one line about a call: symbol, name, verb, and as much of the safe text as fits. */
export function statusLine(head: StatusHead, text: string, { theme, columns }: Drawing): string {
  const { symbol, style, name, verb = '' } = head;
  const { ellipsis } = theme.symbols;
  const shownName = cutToWidth(escapeText(name), Math.max(8, columns - 20), ellipsis);
  const told = cutToWidth(verb, Math.max(8, columns - columnsOf(shownName) - 4), ellipsis);
  const before = columnsOf(symbol) + 1 + columnsOf(shownName) + (told === '' ? 0 : 1 + columnsOf(told));
  const rest = cutToWidth(text, Math.max(0, columns - before - 3), ellipsis);
  return `${style(symbol)} ${theme.tool(shownName)}${told === '' ? '' : ` ${style(told)}`}${rest === '' ? '' : `  ${theme.dim(rest)}`}`;
}
