import { plainWords, programName } from './command-words.js';

/** The commands that a rule is about. */
export interface CommandScope {
  readonly words: readonly string[];
  /** Further arguments may follow; without it an `allow` is about exactly these words. */
  readonly further: boolean;
  /** The folder in which an `allow` holds: a command below it is another one. Absent: nobody said one. */
  readonly folder?: string;
}

/** The mark behind the words of a rule that lets further arguments follow. */
export const FURTHER = '…';

const MARK = /(?:^|[ \t])(?:…|\.\.\.|\*)$/u;

/** Reads `npm test` or `npm test …`; `undefined` where it is more than plain words, or none. */
export function readCommandScope(text: string): CommandScope | undefined {
  const trimmed = text.trim();
  const further = MARK.test(trimmed);
  const words = plainWords(further ? trimmed.replace(MARK, '') : trimmed);
  const [program] = words ?? [];
  // `A=b program` sets a variable first, so that no call has such a program.
  if (words === undefined || program === undefined || program === '') return undefined;
  // The mark elsewhere, or in quotes, may be meant as the mark or as itself.
  const isUnclear = program.includes('=') || isSeveral(program) || words.some(isFurther);
  return isUnclear ? undefined : { words, further };
}

/** Words that were quoted as one: no call has a program of that name. A folder of its path may have a space. */
function isSeveral(program: string): boolean {
  return /\s/u.test(programName(program));
}

/** True for a word that is the mark itself, as it is given on a command line. */
export function isFurther(word: string): boolean {
  return MARK.test(word);
}

/** Says why a text is no words of a command, with what to write instead. */
export function wordsProblem(text: string): string {
  const trimmed = text.trim();
  const own = trimmed.replace(MARK, '');
  if (trimmed.endsWith(':*'))
    return `further arguments are \`${FURTHER}\` behind a space: \`${trimmed.slice(0, -2)} ${FURTHER}\``;
  if (own === '') return 'no program is named: a rule about every command is `run_command` alone';
  const words = plainWords(own);
  const [program] = words ?? [];
  if (program === '') return 'the program is an empty word';
  if (program !== undefined && isSeveral(program))
    return `its words are quoted as one; write them apart: \`${program.replace(/\s*\*$/u, ` ${FURTHER}`)}\``;
  if (words?.some(isFurther) === true)
    return `\`${FURTHER}\` stands once, at the end and without quotes: \`npm test ${FURTHER}\``;
  if (/^[^ ]*=/u.test(trimmed)) return 'it sets a variable, which no rule with words is about';
  const what = shellPart(own);
  if (what === undefined) return 'the words of the command are more than plain words';
  return `${what}: words are never about shell text; name all of it as {"command":"…"}`;
}

/** Says what in a text a shell would act on; `undefined` where nothing known is. */
export function shellPart(text: string): string | undefined {
  return SHELL.find(({ pattern }) => pattern.test(text))?.what;
}

const SHELL: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /[<>]/u, what: 'it has a redirect' },
  { pattern: /[;&|\n]/u, what: 'it has a second command' },
  { pattern: /[$`]/u, what: 'it has a variable or a command in a command' },
  { pattern: /[*?…]/u, what: 'it has a pattern in the middle' },
];
