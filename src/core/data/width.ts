// Invariants:
// C1 A text takes the columns of its code points together, each as wide as in the terminal that draws it widest: tmux,
//    xterm, VTE, kitty, Windows Terminal. So no terminal draws a row wider than it was counted, whatever it joins.
// C2 What terminals draw in no agreed width (a mark without a letter, half a flag) is spelled out by `escapeText`.
import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Matches printable ASCII, Latin letters, dashes, quotes, dots, arrows, frames and the symbols that hitl
 * uses. Each takes one column and has no combining marks.
 */
const NARROW = /^[ -~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2190-\u2193\u21AA\u2298\u2500-\u257F●✎✓✗]*$/;
/**
 * Matches hitl's own style sequences. Measured text contains no others, because all untrusted text has been
 * escaped.
 */
// oxlint-disable-next-line no-control-regex
const STYLES = /\u001B\[[0-9;]*m/g;

/**
 * Matches zero-width characters: combining marks, control characters, joiners, and the vowels and finals of
 * Korean syllables.
 */
const noWidthPattern = () => /[\p{Mn}\p{Me}\p{Cc}\u1160-\u11FF\u200C-\u200D]/u;
/**
 * Matches combining marks added after Unicode 5. Terminals with older tables, such as xterm.js, draw them in
 * a column of their own.
 */
const youngMarkPattern = () =>
  /(?=[\p{Mn}\p{Me}])[\u0487\u0616-\u061A\u065F\u07FD-\u0900\u093A\u0955-\u0957\u09FE\u0A51\u0A75\u0AFA-\u0AFF\u0B44\u0B55\u0B62-\u0B63\u0C00-\u0C3C\u0C62-\u0C81\u0D00-\u0D3C\u0D44\u0D62-\u0D81\u0EBA\u0F8D-\u0F8F\u1033-\u1035\u103A-\u103E\u105E-\u135E\u180F-\u1886\u1A1B-\u1ACE\u1B80-\u1CF9\u1DCB-\u1DFD\u20F0-\u2DFF\uA66F-\uA802\uA82C-\uABED\uFE24-\u{1037A}\u{10AE5}-\u{1CF46}\u{1DA00}-\u{1E94A}]/u;
/** The emoji variation selector, which makes the preceding character two columns wide. */
const EMOJI_SELECTOR = '\uFE0F';
/**
 * Matches characters that take two columns in some terminals although Unicode specifies one: circled numbers,
 * and emoji that show people or hands (tmux 3.5).
 */
const widerPattern = () =>
  /[\u3248-\u324F\u261D\u26F9\u270C\u270D\u{1F3CB}\u{1F3CC}\u{1F574}\u{1F575}\u{1F590}]/u;

interface Patterns {
  readonly noWidth: RegExp;
  readonly youngMark: RegExp;
  readonly wider: RegExp;
}

/** Compiled on first use, because parsing the character classes takes longer than `hitl --version`. */
let patterns: Patterns | undefined;
/** The width plus one of each code point measured so far; 0 if not measured yet. */
let known: Uint8Array | undefined;
const KNOWN = 0x20000;

function measured(point: number): number {
  patterns ??= { noWidth: noWidthPattern(), youngMark: youngMarkPattern(), wider: widerPattern() };
  const character = String.fromCodePoint(point);
  if (character === EMOJI_SELECTOR || patterns.youngMark.test(character)) return 1;
  if (patterns.noWidth.test(character)) return 0;
  return patterns.wider.test(character) ? 2 : eastAsianWidth(point);
}

function columnsOfPoint(point: number): number {
  if (point >= KNOWN) return measured(point);
  known ??= new Uint8Array(KNOWN);
  const found = known[point] ?? 0;
  if (found > 0) return found - 1;
  const columns = measured(point);
  known[point] = columns + 1;
  return columns;
}

/**
 * Returns the maximum width of one line of escaped text, in columns (C1). hitl's own styles take no columns.
 * All code measures width with this function. Runs in linear time.
 */
export function columnsOf(shown: string): number {
  const plain = shown.includes('\u001B') ? shown.replace(STYLES, '') : shown;
  if (NARROW.test(plain)) return plain.length;
  let columns = 0;
  for (let at = 0; at < plain.length; at += 1) {
    const point = plain.codePointAt(at) ?? 0;
    if (point > 0xffff) at += 1;
    columns += columnsOfPoint(point);
  }
  return columns;
}

/** Matches code points that continue the preceding character. Each step of the match is bounded. */
const FOLLOWS = String.raw`[\p{M}\p{EMod}\u200C-\u200D\u0E33\u0EB3\u1160-\u11FF\uD7B0-\uD7FB\uFF9E\uFF9F\u{E0020}-\u{E007F}]|(?<=\u200D)\p{ExtPict}`;
let characters: RegExp | undefined;

/**
 * Yields the characters of a string as readers perceive them: a letter with its marks, an emoji with its
 * parts, a flag. Runs in linear time, whereas the time that `Intl.Segmenter` needs grows quadratically with
 * the length of the string.
 */
export function* charactersOf(text: string): Iterable<string> {
  characters ??= new RegExp(String.raw`(?:\p{RI}{2}|\P{Cc})(?:${FOLLOWS}){0,40}|[^]`, 'gu');
  for (const [character] of text.matchAll(characters)) yield character;
}
