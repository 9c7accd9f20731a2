/**
 * The value behind the name of a secret: `password: hunter2hunter2`, `"apiKey": "…"`, `?token=…`. A value is taken
 * whole in one step, so that nothing is looked at twice however often a name stands in it (T18).
 */
const ASSIGNED =
  /(?<name>(?:(?:api|access|account|secret|private|auth|master|signing|encryption)[_-]?|(?<![a-z]))key|secret|token|pass(?:word|wd|phrase)|(?<![a-z])pwd)["'`]?[ \t]{0,20}[=:][ \t]{0,20}(?:["'`](?<quoted>[^\s"'`]{8,})|(?<bare>[^\s"'`,;&(){}[\]<>]{8,}))/giu;

/** The beginning and the end of a secret in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The values of a text that stand behind the name of a secret and look like one, in their order. */
export function assignedSecrets(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(ASSIGNED)) {
    const { name = '', quoted, bare = '' } = match.groups ?? {};
    const end = match.index + match[0].length;
    const value = quoted ?? bare;
    const isSecret =
      quoted === undefined ? isSecretWord(name, bare, text.charAt(end)) : isSecretText(name, quoted);
    if (isSecret) spans.push({ start: end - value.length, end });
  }
  return spans;
}

/** A word without a digit is most often a name in code, `password = userPassword`, but not in `DB_PASSWORD=correcthorse`. */
function isSecretWord(name: string, value: string, next: string): boolean {
  if (isPlaceholder(value) || /[([{<]/u.test(next)) return false;
  return isMixed(value) || name === name.toUpperCase();
}

/** A word in quotes is a secret unless it may be a word of a program: `token: 'tool-request'`, `key: "Backspace"`. */
function isSecretText(name: string, value: string): boolean {
  return !isPlaceholder(value) && (isMixed(value) || !/key$|token$/iu.test(name));
}

function isMixed(value: string): boolean {
  return /\d/u.test(value) && /\p{L}/u.test(value);
}

/** `$TOKEN`, `%TOKEN%`, `{{token}}`, `<your token>`, and what was masked before. */
function isPlaceholder(value: string): boolean {
  return /^[$%{<[*]/u.test(value);
}
