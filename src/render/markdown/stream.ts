import { safeText } from '../safe-text.js';
import type { Theme } from '../theme.js';
import { closedLength } from './closed-length.js';
import { showInline } from './inline.js';
import { endsFence, isTelling, lineStart } from './line-start.js';
import { showTable } from './table.js';

// Invariants:
// M1 What was returned is never taken back: output only grows, nothing on the screen is redrawn.
// M2 Every line of the source shows in the output, whatever its markdown is worth.
// M3 A style that is not closed holds text back for `LONGEST_WAIT` characters, and never beyond its paragraph.
// M4 All text of the source passes through `safeText`.

/** Characters that an unclosed mark may hold back before they are shown as they are. */
const LONGEST_WAIT = 1000;

/** Turns markdown that arrives in pieces into lines for a terminal, as soon as each part of it is certain. */
export class MarkdownStream {
  readonly #theme: Theme;
  readonly #columns: () => number;
  /** The beginning of a line that does not tell yet what it is. */
  #line = '';
  /** The current line told what it is; the rest of it is inline text. */
  #isTold = false;
  /** Inline text that is not shown yet; it may hold lines of one paragraph. */
  #inline = '';
  #fence: string | undefined;
  #table: string[] = [];
  #atLineStart = true;

  constructor(theme: Theme, columns: () => number) {
    this.#theme = theme;
    this.#columns = columns;
  }

  /** Takes the next piece; returns what can be shown now. */
  push(text: string): string {
    let shown = '';
    for (const piece of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) shown += this.#take(piece);
    return this.#track(shown);
  }

  /** Shows the rest, ends the last line, and begins anew. */
  end(): string {
    const rest = this.#isTold ? '' : this.#wholeLine(this.#line);
    let shown = this.#track((this.#line === '' ? '' : rest) + this.#flush() + this.#flushTable());
    if (!this.#atLineStart) shown += '\n';
    this.#line = '';
    this.#isTold = false;
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
      const line = this.#line.replace(/\r?\n$/, '');
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
        return `${before}${this.#flush()}${this.#theme.dim(safeText(line))}\n`;
      case 'heading':
        return `${before}${this.#flush()}${this.#heading(line, start.text)}\n`;
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
    if (!endsFence(line, fence)) return `${this.#theme.code(safeText(line))}\n`;
    this.#fence = undefined;
    return `${this.#theme.dim(safeText(line))}\n`;
  }

  /** Begins a line of inline text; a line without marks of its own goes on with the paragraph before it. */
  #begin(line: string, end: string): string {
    const start = lineStart(line, this.#theme);
    if (start.type !== 'text') return this.#flush() + safeText(line) + end;
    const before = start.prefix === '' ? '' : this.#flush() + start.prefix;
    this.#inline += start.text + end;
    return before + this.#emit();
  }

  /** Shows what is certain of the inline text (M3). */
  #emit(): string {
    let length = closedLength(this.#inline);
    if (length === 0 && this.#inline.length > LONGEST_WAIT) length = this.#inline.search(/\s\S*$/) + 1;
    const shown = showInline(this.#inline.slice(0, length), this.#theme);
    this.#inline = this.#inline.slice(length);
    return shown;
  }

  #flush(): string {
    const shown = showInline(this.#inline, this.#theme);
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

/** A whole markdown text for a terminal; ends with a line break unless it is empty. */
export function showMarkdown(source: string, theme: Theme, columns: number): string {
  const stream = new MarkdownStream(theme, () => columns);
  return stream.push(source) + stream.end();
}
