import { columnsOf, WordWrap, wrapShown } from '../../core/index.js';
import { safeText } from '../safe-text.js';
import type { Style, Theme } from '../theme.js';
import { closedLength, forcedCut } from './closed-length.js';
import { LONGEST_INLINE, showInline } from './inline.js';
import { endsFence, isTelling, lineStart } from './line-start.js';
import { showTable } from './table.js';

// Invariants:
// M1 What was returned is never taken back: output only grows, nothing on the screen is redrawn.
// M2 Every line of the source shows in the output, whatever its markdown is worth.
// M3 A style that is not closed holds text back for `LONGEST_INLINE` characters, and never beyond its paragraph.
// M4 Prose is broken into rows at words, and what must stay as it is (code) where a row is full, with a mark.
// M5 All text of the source passes through `safeText`.

/** Converts streamed markdown to terminal lines, showing each part as soon as its formatting is certain. */
export class MarkdownStream {
  readonly #theme: Theme;
  readonly #columns: () => number;
  readonly #wrap: WordWrap;
  #heldReturn = '';
  /** Start of a line whose kind is not known yet. */
  #line = '';
  /** Whether the current line's kind is known. If so, the rest of it is inline text. */
  #isTold = false;
  /** Inline text that has not been shown yet; may span several lines of a paragraph. */
  #inline = '';
  #fence: string | undefined;
  #table: string[] = [];
  #atLineStart = true;

  constructor(theme: Theme, columns: () => number) {
    this.#theme = theme;
    this.#columns = columns;
    this.#wrap = new WordWrap(columns);
  }

  /** Adds the next chunk and returns the text that can be shown. */
  push(text: string): string {
    const received = (this.#heldReturn + text).replace(/(?<!\r)\r+\n/g, '\n');
    // What comes next may make them the first half of a line break.
    let end = received.length;
    while (received[end - 1] === '\r') end -= 1;
    this.#heldReturn = received.slice(end);
    const whole = received.slice(0, end);
    let shown = '';
    for (const piece of whole.match(/[^\n]*\n|[^\n]+$/g) ?? []) shown += this.#take(piece);
    return this.#track(shown);
  }

  /** Returns the remaining text, ends the last line, and resets. */
  end(): string {
    let shown = this.#heldReturn === '' ? '' : this.#take(this.#heldReturn);
    if (this.#line !== '') shown += this.#wholeLine(this.#line);
    shown = this.#track(shown + this.#flushTable() + this.#flush());
    if (!this.#atLineStart) shown += '\n';
    this.#heldReturn = '';
    this.#line = '';
    this.#isTold = false;
    this.#wrap.restart();
    this.#fence = undefined;
    this.#atLineStart = true;
    return shown;
  }

  #track(shown: string): string {
    if (shown !== '') this.#atLineStart = shown.endsWith('\n');
    return shown;
  }

  #take(piece: string): string {
    const isWhole = piece.endsWith('\n');
    if (this.#isTold) {
      this.#inline += piece;
      if (isWhole) this.#isTold = false;
      return this.#emit();
    }
    this.#line += piece;
    if (isWhole) {
      const line = this.#line.slice(0, -1);
      this.#line = '';
      return this.#wholeLine(line);
    }
    if (this.#fence !== undefined || this.#table.length > 0 || !isTelling(this.#line)) return '';
    const line = this.#line;
    this.#line = '';
    this.#isTold = true;
    return this.#begin(line, '');
  }

  #wholeLine(line: string): string {
    if (this.#fence !== undefined) return this.#codeLine(line, this.#fence);
    const start = lineStart(line, this.#theme);
    if (start.type === 'table-row') {
      this.#table.push(line);
      return this.#flush();
    }
    const before = this.#flushTable();
    switch (start.type) {
      case 'blank':
        return `${before}${this.#flush()}\n`;
      case 'fence':
        this.#fence = start.mark;
        return `${before}${this.#flush()}${this.#fenceLine(line)}`;
      case 'heading':
        return `${before}${this.#flush()}${this.#wrap.push(`${this.#heading(line, start.text)}\n`)}`;
      case 'rule':
        return `${before}${this.#flush()}${this.#theme.dim('─'.repeat(Math.min(40, this.#columns())))}\n`;
      case 'text':
        return before + this.#begin(line, '\n');
    }
  }

  #heading(line: string, text: string): string {
    return this.#theme.colour
      ? this.#theme.heading(showInline(text, this.#theme))
      : showInline(line, this.#theme);
  }

  #codeLine(line: string, fence: string): string {
    if (!endsFence(line, fence)) return this.#literal(line, this.#theme.code);
    this.#fence = undefined;
    return this.#fenceLine(line);
  }

  /** Formats a code fence. With colors, only its language is shown, because color already marks the code. */
  #fenceLine(line: string): string {
    const { colour, dim } = this.#theme;
    if (!colour) return this.#literal(line, dim);
    const language = line.trim().replace(/^[`~]+\s*/, '');
    return language === '' ? '' : this.#literal(language, dim);
  }

  /** Returns an unformatted line, wrapped at the column limit (M4). */
  #literal(line: string, style: Style): string {
    const { wrapped } = this.#theme.symbols;
    const safe = safeText(line);
    const rows = wrapShown(safe, Math.max(8, this.#columns() - columnsOf(wrapped) - 1));
    const whole = columnsOf(safe) <= this.#columns() ? [safe] : rows;
    return whole
      .map((row, index) => `${index === 0 ? '' : `${this.#theme.dim(wrapped)} `}${style(row)}\n`)
      .join('');
  }

  /** Starts a line of inline text. A line without markers continues the previous paragraph. */
  #begin(line: string, end: string): string {
    const start = lineStart(line, this.#theme);
    if (start.type !== 'text') return this.#flush() + this.#wrap.push(safeText(line) + end);
    const before = start.prefix === '' ? '' : this.#flush() + this.#wrap.begin(start.prefix, start.hang);
    this.#inline += start.text + end;
    return before + this.#emit();
  }

  /** Returns and removes the part of the inline text that is ready to show (M3). */
  #emit(): string {
    let shown = '';
    for (;;) {
      const head = this.#inline.slice(0, LONGEST_INLINE);
      const closed = closedLength(head);
      const isStuck = closed === 0 && this.#inline.length > LONGEST_INLINE;
      const length = isStuck ? forcedCut(head) : closed;
      if (length === 0) return shown;
      shown += this.#wrap.push(showInline(head.slice(0, length), this.#theme));
      this.#inline = this.#inline.slice(length);
    }
  }

  #flush(): string {
    const shown = this.#emit() + this.#wrap.push(showInline(this.#inline, this.#theme)) + this.#wrap.flush();
    this.#inline = '';
    return shown;
  }

  #flushTable(): string {
    if (this.#table.length === 0) return '';
    const shown = showTable(this.#table, this.#theme, this.#columns());
    this.#table = [];
    return shown;
  }
}

/** Formats a complete markdown text for a terminal. The result ends with a line break unless it is empty. */
export function showMarkdown(source: string, theme: Theme, columns: number): string {
  const stream = new MarkdownStream(theme, () => columns);
  return stream.push(source) + stream.end();
}
