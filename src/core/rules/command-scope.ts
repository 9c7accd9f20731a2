import { plainWords } from './command-words.js';

/** The commands that a rule is about. */
export interface CommandScope {
  readonly words: readonly string[];
  /** Further arguments may follow; without it an `allow` is about exactly these words. */
  readonly further: boolean;
}

/** The mark behind the words of a rule that lets further arguments follow. */
export const FURTHER = '…';

const MARK = /(?:^|[ \t])(?:…|\.\.\.|\*)$/u;

/** Reads `npm test` or `npm test …`; `undefined` where it is more than plain words, or none. */
export function readCommandScope(text: string): CommandScope | undefined {
  const trimmed = text.trim();
  const further = MARK.test(trimmed);
  const words = plainWords(further ? trimmed.replace(MARK, '') : trimmed);
  return words === undefined || words.length === 0 ? undefined : { words, further };
}

/** True for a word that is the mark itself, as it is given on a command line. */
export function isFurther(word: string): boolean {
  return MARK.test(word);
}
