// The notation:
//   \u{1B}             a code point, in upper-case hex
//   \n  \t  \\         a line break, a tab, a backslash of the text itself
//   \{200 spaces}      a run of nine or more spaces
//   \{5 line breaks}   four or more line breaks in one line
//   \{3 empty lines}   four or more line breaks between lines (only from `escapeLines`)
// Invariants:
// X1 A single backslash is always ours: every backslash of the text is doubled, so nothing in the text can look like notation.
// X2 Outside the notation there are only U+0020 (at most eight in a row), letters, digits, punctuation, symbols, and at most
//    two marks after a letter or digit. Unassigned code points are escaped: this machine's Unicode may be older than the
//    terminal's. What is younger than Unicode 14 is escaped as well: terminals that do not know it draw nothing.
// X3 `unescapeText` gives back what was escaped, also after outputs were joined; so no two texts look the same.
// X4 What is `Shown` was escaped, stands in our own source, was joined of such, or holds nothing but letters, line breaks,
//    tabs and our own styles.
// X5 What terminals draw in another width alone or in a run is shown only where a language has it (`TOGETHER`).

import type { InterruptId, SessionId } from './ids.js';

const IGNORABLE = String.raw`\p{Default_Ignorable_Code_Point}`;
// Beyond the classes: a blank Braille cell, the object replacement character and an empty note head draw nothing.
const BLANK = String.raw`\u2800\uFFFC\u{1D159}`;
/**
 * Characters assigned after Unicode 14 (2021). The ranges contain only such characters and unassigned ones.
 */
const YOUNG =
  String.raw`\u088F\u0897\u0C5C\u0CDC\u0CF3\u0ECE\u1ACF-\u1AEB\u1B4E-\u1B4F\u1B7F\u1C89-\u1C8A\u20C1\u2427-\u2429` +
  String.raw`\u2B96\u2FFC-\u2FFF\u31E4-\u31EF\uA7CB-\uA7CF\uA7D2\uA7D4\uA7DA-\uA7F1\uFBC3-\uFBD2\uFD90-\uFD91` +
  String.raw`\uFDC8-\uFDCE\u{105C0}-\u{105F3}\u{10940}-\u{10959}\u{10D40}-\u{10D8F}\u{10EC2}-\u{10EFF}` +
  String.raw`\u{1123F}-\u{11241}\u{11380}-\u{113E2}\u{116D0}-\u{116E3}\u{11B00}-\u{11BF9}\u{11DB0}-\u{11DE9}` +
  String.raw`\u{11F00}-\u{11F5A}\u{1342F}\u{13439}-\u{143FA}\u{16100}-\u{16139}\u{16D40}-\u{16D79}\u{16EA0}-\u{16ED3}` +
  String.raw`\u{16FF2}-\u{16FF6}\u{187F8}-\u{187FF}\u{18CFF}\u{18D09}-\u{18DF2}\u{1B132}\u{1B155}\u{1CC00}-\u{1CEF0}` +
  String.raw`\u{1D2C0}-\u{1D2D3}\u{1DF25}-\u{1DF2A}\u{1E030}-\u{1E08F}\u{1E4D0}-\u{1E6FF}\u{1F6D8}-\u{1F6DC}` +
  String.raw`\u{1F774}-\u{1F77F}\u{1F7D9}\u{1F8B2}-\u{1F8D8}\u{1FA54}-\u{1FA57}\u{1FA75}-\u{1FA77}\u{1FA87}-\u{1FA8F}` +
  String.raw`\u{1FAAD}-\u{1FAAF}\u{1FABB}-\u{1FABF}\u{1FAC6}-\u{1FACF}\u{1FADA}-\u{1FADF}\u{1FAE8}-\u{1FAEF}` +
  String.raw`\u{1FAF7}-\u{1FAF8}\u{1FBCB}-\u{1FBEF}\u{1FBFA}\u{2B739}-\u{2B73F}\u{2CEA2}-\u{2CEAD}` +
  String.raw`\u{2EBF0}-\u{2EE5D}\u{31350}-\u{33479}`;
/**
 * Parts of Korean syllables, half-width kana marks, and Thai and Lao vowels, which never occur alone (X5).
 */
const PARTS = String.raw`\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB\uFF9E\uFF9F\u0E33\u0EB3`;
const MARK = String.raw`(?![${YOUNG}]|${IGNORABLE})\p{M}`;
const LETTER_WITH_MARKS = String.raw`(?![${PARTS}${YOUNG}]|${IGNORABLE})[\p{L}\p{N}](?:${MARK}){1,2}`;
/**
 * Matches character sequences that are displayed unchanged. Their parts are escaped when they occur alone
 * (X5).
 */
const TOGETHER = [
  String.raw`[\u1100-\u115E\uA960-\uA97C][\u1161-\u11A7\uD7B0-\uD7C6][\u11A8-\u11FF\uD7CB-\uD7FB]?(?:${MARK}){0,2}`,
  String.raw`[\uAC00-\uD7A3][\u11A8-\u11FF\uD7CB-\uD7FB](?:${MARK}){0,2}`,
  String.raw`[\u0E01-\u0E2E](?:${MARK}){0,2}\u0E33`,
  String.raw`[\u0E81-\u0EAE\u0EDC-\u0EDF](?:${MARK}){0,2}\u0EB3`,
  String.raw`[\uFF66-\uFF9D][\uFF9E\uFF9F]`,
  String.raw`\p{RI}{2}`,
  String.raw`(?![${YOUNG}])\p{Emoji_Modifier_Base}\p{Emoji_Modifier}`,
  LETTER_WITH_MARKS,
].join('|');
const UNSAFE = String.raw`[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{M}\p{RI}\p{Emoji_Modifier}${PARTS}${YOUNG}${IGNORABLE}${BLANK}]|(?! )\p{Zs}`;

/**
 * A fast check that matches most text: printable ASCII without a backslash, Latin letters, and the drawing
 * characters that hitl uses.
 */
const PLAIN = /^[ -[\]-~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2190-\u2193\u2500-\u257F\u2713\u2717]*$/;
const LONG_RUN = / {9}/;
/** Created on first use, because parsing its character classes takes longer than `hitl --version`. */
let tokens: RegExp | undefined;

function escapeOne(character: string): string {
  switch (character) {
    case '\\':
      return '\\\\';
    case '\n':
      return '\\n';
    case '\t':
      return '\\t';
    default:
      return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
  }
}

function escapeToken(token: string, kept: string | undefined, run: string | undefined): string {
  if (kept !== undefined) return kept;
  if (run === undefined) return escapeOne(token);
  return run.startsWith(' ') ? `\\{${run.length} spaces}` : `\\{${run.length} line breaks}`;
}

/**
 * Escapes untrusted text for a terminal, as one line. Removes nothing, and spells out all characters that are
 * invisible or move the cursor (X1, X2). Runs in linear time; the output has at most eight times as many
 * UTF-16 code units.
 */
export function escapeText(text: string): Shown {
  if (PLAIN.test(text) && !LONG_RUN.test(text)) return asShown(text);
  return asShown(inSlices(text, escapeToken));
}

type Replace = (token: string, kept: string | undefined, run: string | undefined) => string;

/** Replaces the tokens in a string. Processes a long string in slices. */
function inSlices(text: string, replace: Replace): string {
  tokens ??= new RegExp(String.raw`(${TOGETHER})|( {9,}|\n{4,})|${UNSAFE}`, 'gu');
  let replaced = '';
  for (const slice of slicesOf(text)) replaced += slice.replace(tokens, replace);
  return replaced;
}

/**
 * Strings longer than this are escaped in slices, so that the matches of one slice are released before the
 * next.
 */
const SLICE = 16_384;
let continues: RegExp | undefined;

/** Splits a string into slices. No slice starts inside a character or a run. */
function* slicesOf(text: string): Iterable<string> {
  let from = 0;
  continues ??= new RegExp(String.raw`^[\p{M}\p{RI}\p{Emoji_Modifier}${PARTS}\uDC00-\uDFFF \n]`, 'u');
  while (text.length - from > SLICE) {
    let end = from + SLICE;
    while (end < text.length && continues.test(text.slice(end, end + 2))) end += 1;
    yield text.slice(from, end);
    from = end;
  }
  yield text.slice(from);
}

/** Formats a JSON value on one line, escaped with JSON's own escapes, so that it parses back to the value. */
export function shownJson(value: unknown): Shown {
  const text = JSON.stringify(value);
  if (PLAIN.test(text) && !LONG_RUN.test(text)) return asShown(text);
  // A backslash here is JSON's own, and what follows it is plain.
  return asShown(inSlices(text, (token, kept) => kept ?? (token === '\\' ? token : inJson(token))));
}

/** Formats characters as JSON escapes. */
export function inJson(characters: string): string {
  let escaped = '';
  for (let index = 0; index < characters.length; index += 1)
    escaped += `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`;
  return escaped;
}

/**
 * Like `escapeText`, but keeps line breaks, for text shown next to a gutter. Returns one item per line and
 * never an empty list. Replaces four or more line breaks in a row with one line that shows their number.
 */
export function escapeLines(text: string): readonly Shown[] {
  const lines = text.split('\n');
  const rows: Shown[] = [];
  let empty = 0;
  for (const [index, line] of lines.entries()) {
    if (line === '') empty += 1;
    else {
      // The breaks beside the empty lines count as well: three empty lines in the middle are four breaks.
      rows.push(...emptyLines(empty, index === empty ? empty : empty + 1), escapeText(line));
      empty = 0;
    }
  }
  return [...rows, ...emptyLines(empty, lines.length === empty ? empty - 1 : empty)];
}

function emptyLines(count: number, breaks: number): readonly Shown[] {
  return breaks >= 4
    ? [asShown(`\\{${count} empty lines}`)]
    : Array.from({ length: count }, () => asShown(''));
}

declare const brand: unique symbol;

/** Text that is safe to print. Screens accept only this type, and only this file creates it (X4). */
export type Shown = string & { readonly [brand]: 'Shown' };

function isShown(_text: string): _text is Shown {
  return true;
}

/** Marks text as `Shown` after it was escaped in this file. */
function asShown(text: string): Shown {
  return isShown(text) ? text : escapeText(text);
}

/** A value that is safe to display. Ids are validated when they are created (see `isName`). */
type Piece = Shown | SessionId | InterruptId | number;

/**
 * Builds text from literals and safe values: ``shown`saved: ${id}` ``. Passing untrusted text is a compile
 * error.
 */
export function shown(words: TemplateStringsArray, ...pieces: readonly Piece[]): Shown {
  return asShown(words.reduce((text, word, index) => `${text}${pieces[index - 1] ?? ''}${word}`));
}

/** Joins pieces of shown text, by default one per line. */
export function joined(pieces: readonly Shown[], between: '' | ', ' | '; ' | '\n' = '\n'): Shown {
  return asShown(pieces.join(between));
}

/** Removes trailing whitespace from shown text. */
export function trimmed(text: Shown): Shown {
  return asShown(text.trimEnd());
}

/**
 * Matches style sequences, and all characters that move the cursor or change the text direction, except line
 * breaks and tabs.
 */
const unfitPattern = () =>
  // oxlint-disable-next-line no-control-regex
  /\u001B\[[0-9;]{0,24}m|(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const FIT = /^[\n\t -~]*$/;

/** Returns spaces for layout, of any width. A long run of spaces in untrusted text is escaped instead. */
export function spaces(columns: number): Shown {
  return asShown(' '.repeat(Math.max(0, columns)));
}

/**
 * Marks rows of laid-out text as shown: their parts were safe, but have lost their type. As a safeguard,
 * escapes everything except line breaks, tabs and hitl's own styles.
 */
export function laidOut(rows: string): Shown {
  if (FIT.test(rows)) return asShown(rows);
  return asShown(rows.replace(unfitPattern(), (found) => (found.endsWith('m') ? found : escapeOne(found))));
}

const NOTATION =
  /\\(?:u\{((?:10|[0-9A-F])?[0-9A-F]{1,4})\}|\{([0-9]{1,8}) (spaces|line breaks|empty lines)\}|([\\nt]))/g;

/** Reverses `escapeText`, or `escapeLines` joined with line feeds (X3). */
export function unescapeText(shown: string): string {
  return shown.replace(NOTATION, (token, hex?: string, count?: string, unit?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (count !== undefined) {
      const length = Number(count);
      if (unit === 'spaces') return ' '.repeat(length);
      return '\n'.repeat(unit === 'line breaks' ? length : length - 1);
    }
    return token === '\\n' ? '\n' : token === '\\t' ? '\t' : '\\';
  });
}
