import type { QuestionLine } from '../../human/index.js';
import type { Html } from './html.js';
import { html } from './html.js';

/** Maximum indentation. Deeper values are not indented further. */
const DEEPEST = 8;

/** Renders the lines of a question as they appear on a terminal, with a border instead of a leading mark. */
export function linesOf(lines: readonly QuestionLine[]): Html {
  return html`<div class="lines">${lines.map(lineOf)}</div>`;
}

function lineOf(line: QuestionLine): Html {
  const { tone, gutter, label, text, note, isPlainOnly } = line;
  // Behind the first sign two columns are one step in, and the sign of a block is one of several lines of one text.
  const isBlock = gutter.includes('┆');
  const depth = Math.min(DEEPEST, Math.max(0, Math.floor((gutter.length - (isBlock ? 4 : 2)) / 2)));
  const names = [
    isPlainOnly === true ? 'aloud' : 'line',
    tone,
    ...(depth > 0 ? [`in${depth}`] : []),
    ...(isBlock ? ['block'] : []),
  ];
  const before = label === undefined ? undefined : html`<span class="label">${spaced(label, text)}</span>`;
  const behind = note === undefined ? undefined : html`<span class="note">${note}</span>`;
  return html`<div class="${names.join(' ')}">
    ${before}<span class="text">${textOf(line)}</span>${behind}
  </div>`;
}

function spaced(label: string, text: string): string {
  return text === '' || label.endsWith(' ') ? label : `${label} `;
}

/** Renders the text, marking the parts that changed. */
function textOf({ text, tone, changed = [] }: QuestionLine): Html {
  const pieces: Html[] = [];
  let at = 0;
  for (const { start, end } of changed) {
    const piece = text.slice(start, end);
    pieces.push(
      html`${text.slice(at, start)}${tone === 'removed' ? html`<del>${piece}</del>` : html`<ins>${piece}</ins>`}`,
    );
    at = end;
  }
  return html`${pieces}${text.slice(at)}`;
}
