import { count } from '../../core/index.js';
import { safeText } from '../../render/safe-text.js';
import type { Html } from './html.js';
import { html } from './html.js';

/** Maximum number of characters that a page shows of a single text. */
const MOST_TEXT = 20_000;

/** Match the start of a code fence, and a heading. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;
const HEAD = /^ {0,3}#{1,6} +(.+)$/u;
/** Matches code and bold text within a line. */
const MARKED = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/gu;

/**
 * Renders a message with its line breaks, formatting only code and bold text. Its markup cannot create a
 * heading, a link or an image. Beyond the limit for a page, only the number of remaining characters is shown.
 */
export function prose(text: string): Html {
  const left = text.length - MOST_TEXT;
  const blocks: Html[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const end = (isCode: boolean): void => {
    const block = lines.join('\n');
    const shown = isCode ? block : block.replace(/^\n+/u, '').trimEnd();
    if (shown !== '')
      blocks.push(
        isCode ? html`<div class="code">${shown}</div>` : html`<div class="words">${inline(shown)}</div>`,
      );
    lines = [];
  };
  for (const line of safeText(left > 0 ? text.slice(0, MOST_TEXT) : text).split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    const isEnd = fence !== undefined && mark?.startsWith(fence) === true && line.trim() === mark;
    if (isEnd || (fence === undefined && mark !== undefined)) {
      end(isEnd);
      fence = isEnd ? undefined : mark;
    } else lines.push(line);
  }
  end(fence !== undefined);
  return html`${blocks}${left > 0 && html`<p class="dim">${count(left, 'more character')}: <code>hitl show</code></p>`}`;
}

function inline(text: string): readonly Html[] {
  return text.split('\n').map((line, at) => {
    const head = HEAD.exec(line)?.[1];
    const shown = head === undefined ? html`${pieces(line)}` : html`<strong>${pieces(head)}</strong>`;
    return html`${at > 0 && '\n'}${shown}`;
  });
}

function pieces(line: string): readonly Html[] {
  const found: Html[] = [];
  let from = 0;
  for (const match of line.matchAll(MARKED)) {
    const [whole, code, strong] = match;
    found.push(
      html`${line.slice(from, match.index)}${code === undefined ? html`<strong>${strong}</strong>` : html`<code>${code}</code>`}`,
    );
    from = match.index + whole.length;
  }
  return [...found, html`${line.slice(from)}`];
}
