import { eastAsianWidth } from 'get-east-asian-width';

/** Made at the first text that needs it: starting Intl takes longer than a whole list. */
let segmenter: Intl.Segmenter | undefined;
/** Printable ASCII, Latin letters, dashes, quotes, dots, arrows, frames, our own symbols: one column each, no marks. */
const NARROW = /^[ -~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2190-\u2193\u21AA\u2298\u2500-\u257F●✎✓✗]*$/;
/** Chinese, Japanese and Korean letters with their full stops and commas: two columns each, no marks. */
const WIDE = /[\u3001-\u3029\u3041-\u3096\u30A1-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60]/g;
const emojiPattern = () =>
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[0-9#*]\uFE0F?\u20E3|\p{RI}\p{RI})/u;
const noWidthPattern = () => /^[\p{M}\p{Cc}\p{Cf}]/u;
/** Only our own styles are in text that is measured: everything else was escaped. */
// eslint-disable-next-line no-control-regex
const STYLES = /\u001B\[[0-9;]*m/g;

/** Counts the columns of one character with its marks, which no segmenter need find. */
export function characterColumns(character: string): number {
  if (NARROW.test(character)) return character.length;
  if (emojiPattern().test(character)) return 2;
  return noWidthPattern().test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** The characters of a text as a reader sees them: a letter with its marks, an emoji with its parts. */
export function charactersOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/**
 * Counts the columns of a terminal that one line of escaped text takes, by Unicode's East Asian Width; our own styles
 * take none. The only measure of width there is.
 */
export function columnsOf(shown: string): number {
  const plain = shown.includes('\u001B') ? shown.replace(STYLES, '') : shown;
  if (NARROW.test(plain)) return plain.length;
  const narrow = plain.replace(WIDE, '');
  if (NARROW.test(narrow)) return 2 * plain.length - narrow.length;
  let columns = 0;
  for (const { segment } of charactersOf(plain)) columns += characterColumns(segment);
  return columns;
}
