import { wrapShown } from '../core/index.js';

/** Made at the first text that needs it: starting Intl takes longer than a whole list. */
let segmenter: Intl.Segmenter | undefined;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** East Asian wide and full-width blocks, Unicode's EastAsianWidth.txt, by block. */
const WIDE =
  /^[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18AFF}\u{1B000}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[0-9#*]\uFE0F?\u20E3)/u;
const NO_WIDTH = /^[\p{M}\p{Cc}\p{Cf}]/u;
// Only our own styles are in text that reaches this file: everything else was escaped.
// eslint-disable-next-line no-control-regex
const STYLES = /\u001B\[[0-9;]*m/g;

function graphemeWidth(grapheme: string): number {
  if (WIDE.test(grapheme) || EMOJI.test(grapheme)) return 2;
  return NO_WIDTH.test(grapheme) ? 0 : 1;
}

/** Columns that one line of text takes on a terminal; our own styles take none. */
export function textWidth(text: string): number {
  const plain = text.includes('\u001B') ? text.replace(STYLES, '') : text;
  if (PRINTABLE_ASCII.test(plain)) return plain.length;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let width = 0;
  for (const { segment } of segmenter.segment(plain)) width += graphemeWidth(segment);
  return width;
}

/** Safe text of at most `columns` columns; what is longer ends with the ellipsis, and no notation is split. */
export function cutToWidth(text: string, columns: number, ellipsis = '…'): string {
  // What is far beyond the width need not be measured: no piece is longer.
  const start = text.length > columns * 16 + 64 ? text.slice(0, columns * 16 + 64) : text;
  if (start === text && textWidth(text) <= columns) return text;
  const room = columns - textWidth(ellipsis);
  const [head = ''] = wrapShown(start, room);
  return textWidth(head) <= room ? head + ellipsis : ellipsis;
}

/** Text followed by spaces up to `columns` columns; longer text is left as it is. */
export function padToWidth(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return align === 'left' ? text + space : space + text;
}
