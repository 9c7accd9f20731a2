import { escapeText } from '../core/index.js';

// Chat text is read, not approved: it keeps what makes text readable. Nothing here decides what is unsafe; the parts
// that are not kept go through `escapeText`.

const EMOJI = String.raw`(?!\p{Cn})\p{Extended_Pictographic}[\uFE0E\uFE0F]?\p{Emoji_Modifier}?`;
const SCRIPTS_WITH_JOINERS = [
  'Arabic',
  'Syriac',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const JOINERS = `(?<=[${SCRIPTS_WITH_JOINERS}])[\\u200C\\u200D](?=[${SCRIPTS_WITH_JOINERS}])`;
/**
 * Matches emoji with their joiners, flags, keycaps, joiners between letters, spaces, line breaks, tabs and
 * backslashes.
 */
let readable: RegExp | undefined;
const READABLE = String.raw`${EMOJI}(?:\u200D${EMOJI})*|\p{RI}{2}|[0-9#*]\uFE0F?\u20E3|${JOINERS}|[\p{Zs}\n\t\\]+`;
/**
 * Matches text that needs no escaping: ASCII, Latin letters, typographic characters and line breaks. Checked
 * first, because compiling `readable` takes 4 ms.
 */
const PLAIN = /^[\n -~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027]*$/;
/** Replaces a tab. The width is fixed, because a terminal's own tab stops depend on the preceding text. */
const TAB = '    ';

/**
 * Escapes model text for display. Keeps line breaks, spaces, backslashes and emoji. Replaces other spaces
 * with plain ones (two for a wide space, four for a tab). Writes control, bidi, invisible and unassigned
 * characters as escapes, which cannot be confused with typed text. Cut the result only at whitespace, because
 * a cut escape would be escaped again. For output that a program reads, pass `\t` as `tab`.
 */
export function safeText(text: string, tab = TAB): string {
  const unix = (text.includes('\r') ? text.replaceAll('\r\n', '\n') : text).replaceAll('\t', tab);
  if (PLAIN.test(unix) && !unix.includes('\\u{')) return unix;
  readable ??= new RegExp(READABLE, 'gu');
  let safe = '';
  let from = 0;
  for (const match of unix.matchAll(readable)) {
    const end = match.index + match[0].length;
    safe += escapeText(unix.slice(from, match.index)) + toldApart(plainSpaces(match[0]), unix, end);
    from = end;
  }
  return safe + escapeText(unix.slice(from));
}

/** Replaces unusual spaces with plain ones, because their widths differ. */
function plainSpaces(kept: string): string {
  return kept.replaceAll('\u3000', '  ').replaceAll(/\p{Zs}/gu, ' ');
}

/** Doubles backslashes before real or apparent escapes, as `escapeText` does. */
function toldApart(kept: string, text: string, end: number): string {
  let own = 0;
  while (kept.charAt(kept.length - 1 - own) === '\\') own += 1;
  const next = text.codePointAt(end);
  if (own === 0 || next === undefined) return kept;
  const isLike = text.startsWith('u{', end) || escapeText(String.fromCodePoint(next)).startsWith('\\');
  return isLike ? `${kept}${'\\'.repeat(own)}` : kept;
}
