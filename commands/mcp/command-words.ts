import { HitlError } from '../../src/core/index.js';

/** Patterns for words and for their quoted, escaped and plain parts. */
const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gsu;
const PIECE = /'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^'"\\]+/gsu;

/**
 * Splits a command into words as a shell does, but without expanding anything.
 * @throws HitlError USAGE for an unclosed quote.
 */
export function commandWords(text: string): readonly string[] {
  if (text.replace(WORD, '').trim() !== '') throw new HitlError('USAGE', `unclosed quote in \`${text}\``);
  return (text.match(WORD) ?? []).map((word) => word.replace(PIECE, unquoted));
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/gu, '$1');
  return piece.startsWith('\\') ? piece.slice(1) : piece;
}

/** Joins words into a command that `commandWords` splits into the same words. */
export function textOfWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`))
    .join(' ');
}
