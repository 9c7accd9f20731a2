// The notation:
//   \u{1B}             a code point, in upper-case hex
//   \n  \t  \\         a line break, a tab, a backslash of the text itself
//   \{200 spaces}      a run of nine or more spaces
//   \{5 line breaks}   four or more line breaks in one line
//   \{3 empty lines}   four or more line breaks between lines (only from `escapeLines`)
// Invariants:
// X1 A single backslash is always ours: every backslash of the text is doubled, so nothing in the text can look like notation.
// X2 Outside the notation there are only U+0020 (at most eight in a row), letters, digits, punctuation, symbols, and at most
//    two marks after a letter or digit. Unassigned code points are escaped: this machine's Unicode may be older than the terminal's.
// X3 `unescapeText` gives back what was escaped, also after outputs were joined; so no two texts look the same.
// X4 What is `Shown` was escaped, stands in our own source, was joined of such, or holds nothing but letters, line breaks,
//    tabs and our own styles.

import type { InterruptId, SessionId } from '../ids.js';

const IGNORABLE = String.raw`\p{Default_Ignorable_Code_Point}`;
// Beyond the classes: a blank Braille cell, the object replacement character and an empty note head draw nothing.
const BLANK = String.raw`\u2800\uFFFC\u{1D159}`;
const LETTER_WITH_MARKS = String.raw`(?!${IGNORABLE})[\p{L}\p{N}](?:(?!${IGNORABLE})\p{M}){1,2}`;
const UNSAFE = String.raw`[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{M}${IGNORABLE}${BLANK}]|(?! )\p{Zs}`;

/** Printable ASCII without a backslash, Latin letters, and the signs of our own rows: most text, and quick to recognise. */
const PLAIN = /^[ -[\]-~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2190-\u2193\u2500-\u257F\u2713\u2717]*$/;
const LONG_RUN = / {9}/;
/** Made at the first text that needs it: to read its classes of letters takes longer than `hitl --version`. */
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
 * Makes text from outside safe and truthful on a terminal, as one line: nothing is removed, everything that does not
 * show or that moves the cursor is spelled out (X1, X2). Joining outputs shows the texts one after the other.
 * Time is linear; the output is at most eight times as long, in UTF-16 code units.
 */
export function escapeText(text: string): Shown {
  if (PLAIN.test(text) && !LONG_RUN.test(text)) return asShown(text);
  tokens ??= new RegExp(String.raw`(${LETTER_WITH_MARKS})|( {9,}|\n{4,})|${UNSAFE}`, 'gu');
  return asShown(text.replace(tokens, escapeToken));
}

/**
 * Like `escapeText`, with real lines for text that is shown behind a gutter: one item a line, never empty.
 * Four or more line breaks in a row are folded into one line with their count.
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

/** Text that may go to a screen as it is; what writes to one takes nothing else. Only this file makes it (X4). */
export type Shown = string & { readonly [brand]: 'Shown' };

function isShown(_text: string): _text is Shown {
  return true;
}

/** Gives text the type that says what was done here to it. */
function asShown(text: string): Shown {
  return isShown(text) ? text : escapeText(text);
}

/** A piece that shows as what it is: ids are read with that in mind, see `isName`. */
type Piece = Shown | SessionId | InterruptId | number;

/** Our own words with pieces that are shown: ``shown`saved: ${id}` ``. A text from elsewhere in it does not compile. */
export function shown(words: TemplateStringsArray, ...pieces: readonly Piece[]): Shown {
  return asShown(words.reduce((text, word, index) => `${text}${pieces[index - 1] ?? ''}${word}`));
}

/** Shown pieces in a row, or one a line. */
export function joined(pieces: readonly Shown[], between: '' | ', ' | '; ' | '\n' = '\n'): Shown {
  return asShown(pieces.join(between));
}

/** Shown text without the white space at its end. */
export function trimmed(text: Shown): Shown {
  return asShown(text.trimEnd());
}

/** Our own styles, or what is neither a line break nor a tab and moves the cursor, the text or its direction. */
const unfitPattern = () =>
  // eslint-disable-next-line no-control-regex
  /\u001B\[[0-9;]{0,24}m|(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const FIT = /^[\n\t -~]*$/;

/**
 * Rows that were laid out from shown pieces, with line breaks, tabs and our own styles, whose parts no type follows.
 * Whatever else in them would move the cursor, set a title or turn the text around is spelled out all the same.
 */
export function laidOut(rows: string): Shown {
  if (FIT.test(rows)) return asShown(rows);
  return asShown(rows.replace(unfitPattern(), (found) => (found.endsWith('m') ? found : escapeOne(found))));
}

const NOTATION =
  /\\(?:u\{((?:10|[0-9A-F])?[0-9A-F]{1,4})\}|\{([0-9]{1,8}) (spaces|line breaks|empty lines)\}|([\\nt]))/g;

/** The text behind the output of `escapeText`, or of `escapeLines` joined with line feeds (X3). */
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
