import type { JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject, membersOf } from '../json/index.js';

import { isApprovalWord } from '../people/index.js';

/** The words of a command, as a program would get them. */
export interface CommandWords {
  /** `undefined` where shell text says more than plain words. */
  readonly words: readonly string[] | undefined;
}

/** One word of shell text that the shell takes as it stands: bare letters, and quoted parts that hold nothing of the shell’s. */
const PIECE = /[A-Za-z0-9_@%+=:,./-]+|'([^'\p{Cc}]*)'|"([^"$`\\!\p{Cc}]*)"/uy;

/**
 * Splits text into words as a shell does, as long as there is nothing in it that a shell would act on;
 * `undefined` for everything else. Takes linear time.
 */
export function plainWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length;) {
    if (text[at] === ' ' || text[at] === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
      continue;
    }
    PIECE.lastIndex = at;
    const [piece, single, double] = PIECE.exec(text) ?? [];
    if (piece === undefined) return undefined;
    word = `${word ?? ''}${single ?? double ?? piece}`;
    at = PIECE.lastIndex;
  }
  return word === undefined ? words : [...words, word];
}

/** The last part of a program’s path. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Tells what the input of `run_command` runs, as far as it can be told. */
export function commandWords(input: JsonValue): CommandWords {
  const { argv, command } = membersOf(input);
  const words =
    argv !== undefined && isJsonArray(argv)
      ? argv.filter((word) => typeof word === 'string')
      : typeof command === 'string'
        ? plainWords(command)
        : undefined;
  const [program] = words ?? [];
  if (words === undefined || program === undefined) return { words: undefined };
  // `A=b program` sets a variable first.
  const sets = argv === undefined && program.includes('=');
  return sets ? { words: undefined } : { words };
}

/** True where a command asks for the network, which its words do not tell of. */
export function wantsNetwork(input: JsonValue): boolean {
  return isJsonObject(input) && input['network'] !== undefined && input['network'] !== false;
}

/** A word so that it is read as itself. */
export function quotedWord(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/u.test(word) && !isApprovalWord(word)) return word;
  return inQuotes(word);
}

/** A text in quotes that a shell and our readers take apart again. */
export function inQuotes(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!/["$`\\!]/u.test(text)) return `"${text}"`;
  const pieces = text.split("'").map((piece) => (piece === '' ? '' : `'${piece}'`));
  return pieces.join(`"'"`);
}
