import type { JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, membersOf } from '../data/json.js';

import { isApprovalWord } from './rule-people.js';

/** The words of a command: its program and arguments, as the program would receive them. */
export interface CommandWords {
  /** The words; `undefined` if the shell text is not a simple command. */
  readonly words: readonly string[] | undefined;
}

/**
 * Matches part of a literal word in shell text: unquoted characters, or a quoted part without shell syntax.
 */
const PIECE = /[A-Za-z0-9_@%+=:,./-]+|'([^'\p{Cc}]*)'|"([^"$`\\!\p{Cc}]*)"/uy;

/**
 * Splits text into words as a shell would; returns `undefined` if the text contains shell syntax. Runs in
 * linear time.
 */
function plainWords(text: string): readonly string[] | undefined {
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

/** Returns the last component of a program's path. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Determines, as far as possible, the command that a `run_command` input runs. */
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

/** Whether a command requests network access, which cannot be seen from its words. */
export function wantsNetwork(input: JsonValue): boolean {
  return isJsonObject(input) && input['network'] !== undefined && input['network'] !== false;
}

/** Quotes a word so that it is read literally. */
export function quotedWord(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/u.test(word) && !isApprovalWord(word)) return word;
  return inQuotes(word);
}

/** Quotes a string so that a shell and hitl's own parsers read it back unchanged. */
export function inQuotes(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!/["$`\\!]/u.test(text)) return `"${text}"`;
  const pieces = text.split("'").map((piece) => (piece === '' ? '' : `'${piece}'`));
  return pieces.join(`"'"`);
}

/** The commands that a rule matches. */
export interface CommandScope {
  readonly words: readonly string[];
  /** Whether more arguments may follow. If false, an `allow` rule matches exactly these words. */
  readonly further: boolean;
  /**
   * Folder in which an `allow` rule applies, without its subfolders. Absent if the rule does not specify one.
   */
  readonly folder?: string;
}

/** Suffix of a rule that permits additional arguments. */
export const FURTHER = '…';

const MARK = /(?:^|[ \t])(?:…|\.\.\.|\*)$/u;

/** Parses a rule such as `npm test` or `npm test …`; `undefined` if it is empty or not a simple command. */
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

/**
 * Whether several words were quoted as one. The name of a program never contains a space, although the path
 * of its folder may.
 */
function isSeveral(program: string): boolean {
  return /\s/u.test(programName(program));
}

/** Whether a word is the suffix itself, as typed on a command line: `…`, `...` or `*`. */
export function isFurther(word: string): boolean {
  return MARK.test(word);
}

/** Returns the reason that a string is not a valid command prefix, and what to write instead. */
export function wordsProblem(text: string): string {
  const trimmed = text.trim();
  const own = trimmed.replace(MARK, '');
  if (trimmed.endsWith(':*'))
    return `write further arguments as \`${FURTHER}\` after a space: \`${trimmed.slice(0, -2)} ${FURTHER}\``;
  if (own === '') return 'missing program: to match every command, write only `run_command`';
  const words = plainWords(own);
  const [program] = words ?? [];
  if (program === '') return 'the program name is empty';
  if (program !== undefined && isSeveral(program))
    return `its words are quoted as one string; write them separately: \`${program.replace(/\s*\*$/u, ` ${FURTHER}`)}\``;
  if (words?.some(isFurther) === true)
    return `\`${FURTHER}\` may only be used once, at the end and without quotes: \`npm test ${FURTHER}\``;
  if (/^[^ ]*=/u.test(trimmed)) return 'it sets a variable, which prefix rules never match';
  const what = shellPart(own);
  if (what === undefined) return 'not a simple command';
  return `${what}: a prefix never matches shell text; match exact shell text with {"command":"…"}`;
}

/** Describes the part of a string that a shell would interpret; `undefined` if none is known. */
export function shellPart(text: string): string | undefined {
  return SHELL.find(({ pattern }) => pattern.test(text))?.what;
}

const SHELL: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /[<>]/u, what: 'it contains a redirect' },
  { pattern: /[;&|\n]/u, what: 'it contains a second command' },
  { pattern: /[$`]/u, what: 'it contains a variable or a command substitution' },
  { pattern: /[*?…]/u, what: 'it contains a wildcard' },
];

/**
 * Programs that can do almost anything, depending on their arguments. hitl does not offer prefix rules for
 * them.
 */
const WIDE: ReadonlySet<string> = new Set(
  `rm dd shred mkfs chmod chown kill sudo su doas pkexec sh bash rbash zsh dash ash fish ksh mksh csh tcsh pwsh busybox
   env xargs parallel nohup setsid setpriv timeout time nice ionice chrt taskset stdbuf unbuffer script watch entr flock
   chroot unshare nsenter bwrap systemd-run strace ltrace gdb lldb perf ssh scp rsync curl wget nc socat eval exec source
   command python pypy ipython perl raku ruby php lua luajit tclsh expect guile julia rscript osascript node nodejs
   ts-node deno bun npx bunx pnpx uvx pipx tsx awk gawk mawk nawk sed ed ex vi vim nvim emacs find fd tar docker podman
   kubectl`.split(/\s+/u),
);

/** Subcommands that run the word that follows them. The prefix of a rule then includes that word. */
const RUNNING: ReadonlySet<string> = new Set(['run', 'run-script', 'exec', 'x', 'dlx']);

/**
 * Returns the prefix for a rule about similar commands: the program, its subcommand, and the script or
 * program that the subcommand runs. `undefined` for programs whose prefix does not show what they do.
 */
export function firstWords([program, second, third]: readonly string[]): readonly string[] | undefined {
  if (program === undefined) return undefined;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (WIDE.has(name.toLowerCase().replace(/-?[\d.]+$/u, ''))) return undefined; // `python3.12` too
  if (second === undefined || !/^[a-z][a-z-]*$/u.test(second)) return [program];
  if (!RUNNING.has(second)) return [program, second];
  return third !== undefined && /^[A-Za-z0-9]/u.test(third) ? [program, second, third] : undefined;
}

/** Examples of commands for which hitl does not offer a prefix rule. */
export const NEVER_BY_WORDS = 'rm, sudo, interpreters, > redirects, | pipes, the network';
