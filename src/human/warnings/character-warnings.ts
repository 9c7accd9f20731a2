import type { Finding } from './finding.js';
import { pointOf } from './finding.js';

const controlsPattern = () => /(?!\r\n|[\n\t])\p{Cc}/gu;
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** Matches letters of right-to-left scripts, which can change the display order of adjacent characters. */
const rightToLeftPattern = () =>
  /(?=[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}])\p{L}/gu;
/**
 * Matches invisible characters, except for those that join emoji or select their style, because these do not
 * hide anything.
 */
const invisiblePattern = () =>
  /(?![\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069])(?!(?<=\p{Extended_Pictographic})[\uFE0F\u200D])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u2800\uFFFC\u{1D159}]|(?! )\p{Zs}/gu;
/**
 * Matches whitespace that can push text out of view: nine or more spaces within a line, forty or more
 * anywhere, or four line breaks.
 */
const PADDING = /(?<=[^\n ]) {9,}| {40,}|(?:\n[ \t\r]*){4,}/u;
const floodedPattern = () =>
  /(?!\p{Default_Ignorable_Code_Point})(?:(?<![\p{L}\p{N}\p{M}])\p{M}|(?<=[\p{L}\p{N}]\p{M}{2})\p{M})/u;
const marksPattern = () => /\p{M}/u;
const digitsPattern = () => /(?![0-9])\p{Nd}/gu;
/** Matches rarely needed characters that look like ASCII punctuation in common fonts. */
const TWIN_PUNCTUATION =
  /[\u01C3\u02B9-\u02BC\u02C8\u02CA\u02CB\u02D0\u037E\u0387\u0589\u05C0\u05C3\u066A\u066B\u2024\u2025\u2039\u203A\u2044\u204F\u2052\u2212\u2215-\u2217\u2223\u2236\u223C\u22C5\u2768\u2769\u276E\u276F\u2774\u2775\u2993\u2994\u29F5\u29F8\u29F9\u2CFE\uA789\uFE50-\uFE6B]/gu;
/** Matches wide forms of ASCII punctuation, except next to East Asian letters, where they are normal. */
const widePunctuationPattern = () =>
  /(?<![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\u3008\u3009\u3014\u3015\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65](?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])/gu;
/** Matches quotation marks, hyphens and dashes that are normal in prose but deceptive in a command. */
const TYPOGRAPHIC = /[\u2010-\u2015\u2018-\u201F\u2026\u2032-\u2037]/gu;
/** Matches letters and digits that may be variants of ASCII characters. */
const unusualPattern = () => /(?![\0-\u024F\u3131-\u318E\uAC00-\uD7A3])[\p{L}\p{Nd}]/gu;
const dashOptionPattern = () => /(?:^|\s)([\u2012-\u2015])\p{L}/gu;

/**
 * Warns about characters that are invisible, move the cursor, or resemble other characters. Returns at most
 * one finding per kind.
 */
export function characterWarnings(text: string): Finding[] {
  if (/^[ -~]*$/.test(text) && !/ {9}/.test(text)) return [];
  const findings: Finding[] = [];
  const add = (kind: Finding['kind'], what: string, found: readonly string[]): void => {
    if (found.length > 0) findings.push({ kind, message: `${what} (${found.length}): ${pointsOf(found)}` });
  };
  add('control', 'terminal control characters', matches(text, controlsPattern()));
  const turns = matches(text, BIDI);
  add('bidi', 'text-direction characters', turns);
  if (turns.length === 0) add('bidi', 'right-to-left letters', matches(text, rightToLeftPattern()));
  add('invisible', 'invisible characters', matches(text, invisiblePattern()));
  const padding = PADDING.exec(text);
  if (padding !== null) {
    findings.push({ kind: 'padding', message: `${spaceWords(padding[0])} push the rest out of view` });
  }
  if (marksPattern().test(text) && floodedPattern().test(text)) {
    findings.push({ kind: 'combining', message: 'combining marks stacked on a letter, or without a letter' });
  }
  add('non-ascii-digits', 'digits from another script', matches(text, digitsPattern()));
  add('lookalike-punctuation', 'characters that look like ASCII punctuation', lookalikes(text));
  const imitations = matches(text, unusualPattern()).filter(imitates);
  if (imitations.length > 0) add('normalisation', 'letters that look like ASCII letters', imitations);
  else if (text.normalize('NFC') !== text)
    findings.push({
      kind: 'normalisation',
      message: 'the same text can be encoded with different characters',
    });
  return findings;
}

/**
 * Returns the characters that resemble ASCII punctuation. Quotation marks and most dashes are reported only
 * in single-line text, which may be a command, because they are normal in longer prose.
 */
function lookalikes(text: string): readonly string[] {
  const always = [...matches(text, TWIN_PUNCTUATION), ...matches(text, widePunctuationPattern())];
  const options = [...text.matchAll(dashOptionPattern())].map((match) => match[1] ?? '');
  return text.includes('\n') ? [...always, ...options] : [...always, ...matches(text, TYPOGRAPHIC)];
}

/** Whether a letter or digit is a variant of an ASCII character, such as `ｒｍ` or mathematical letters. */
function imitates(letter: string): boolean {
  const folded = letter.normalize('NFKC');
  return folded !== letter && /^[A-Za-z0-9]+$/.test(folded);
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return text.match(pattern) ?? [];
}

function spaceWords(run: string): string {
  return run.startsWith(' ') ? `${run.length} spaces` : `${run.split('\n').length - 1} line breaks`;
}

/** Lists the first few distinct characters by code point. */
function pointsOf(found: readonly string[]): string {
  const distinct = [...new Set(found)].map(pointOf);
  return distinct.length > 4 ? `${distinct.slice(0, 4).join(', ')}, …` : distinct.join(', ');
}
