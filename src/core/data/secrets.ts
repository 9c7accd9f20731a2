/** Recognizable key formats. Each match is masked completely. All patterns run in linear time (T18). */
const SHAPES: readonly RegExp[] = [
  /\bsk-ant-[A-Za-z0-9_-]{16,}/gu,
  /\bsk-[A-Za-z0-9_-]{20,}/gu,
  /\b[rs]k_live_[A-Za-z0-9]{16,}/gu,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/gu,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/gu,
  /\bAKIA[0-9A-Z]{16}\b/gu,
  /\bAIza[0-9A-Za-z_-]{35}/gu,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/gu,
  /\bglpat-[A-Za-z0-9_-]{20,}/gu,
  /\bnpm_[A-Za-z0-9]{36}/gu,
  /\bhf_[A-Za-z0-9]{30,}/gu,
  // Looked for once in a run of its characters, and not at each `eyJ` of it.
  /(?<![\w-])(?=[\w-]+\.eyJ[\w-]{10,}\.[\w-]{10,})[\w-]*?eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/gu,
  // The password of `user:password@` in an address.
  /(?<=:\/\/[^\s/?#:@"'`<>]{0,64}:)(?!\[redacted\])[^\s/?#"'`<>]+(?=@)/gu,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----/gu,
];

const MASK = '[redacted]';

/** A value with its secrets masked, and the number of secrets. */
export interface Masked<Value> {
  readonly value: Value;
  readonly count: number;
}

/**
 * Matches a value that follows the name of a secret: `password: hunter2hunter2`, `"apiKey": "…"`, `?token=…`.
 * Matches both in one step, so that a value that contains such names many times is still scanned only once
 * (T18).
 */
const ASSIGNED =
  /(?<name>(?:(?:api|access|account|secret|private|auth|master|signing|encryption)[_-]?|(?<![a-z]))key|secret|token|pass(?:word|wd|phrase)|(?<![a-z])pwd)["'`]?[ \t]{0,20}[=:][ \t]{0,20}(?:["'`](?<quoted>[^\s"'`]{8,})|(?<bare>[^\s"'`,;&(){}[\]<>]{8,}))/giu;

/** The start and end of a secret in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns values that are likely secrets because they follow the name of a secret, in order. */
function assignedSecrets(text: string): readonly Span[] {
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

/**
 * Whether an unquoted word after the name of a secret is a secret. A word without digits is usually a code
 * identifier, as in `password = userPassword`, unless the name is in upper case, as in
 * `DB_PASSWORD=correcthorse`.
 */
function isSecretWord(name: string, value: string, next: string): boolean {
  if (isPlaceholder(value) || /[([{<]/u.test(next)) return false;
  return isMixed(value) || name === name.toUpperCase();
}

/**
 * Whether a quoted string after the name of a secret is a secret. Excludes likely program constants, such as
 * `token: 'tool-request'` and `key: "Backspace"`.
 */
function isSecretText(name: string, value: string): boolean {
  return !isPlaceholder(value) && (isMixed(value) || !/key$|token$/iu.test(name));
}

function isMixed(value: string): boolean {
  return /\d/u.test(value) && /\p{L}/u.test(value);
}

/**
 * Whether a value is a placeholder, such as `$TOKEN`, `%TOKEN%`, `{{token}}` or `<your token>`, or is already
 * masked.
 */
function isPlaceholder(value: string): boolean {
  return /^[$%{<[*]/u.test(value);
}

/** Masks likely keys and tokens, values that follow the name of a secret, and the given strings (G33). */
export function maskText(text: string, secrets: readonly string[] = []): Masked<string> {
  let count = 0;
  let value = text;
  for (const secret of secrets) {
    if (secret === '' || !value.includes(secret)) continue;
    count += value.split(secret).length - 1;
    value = value.replaceAll(secret, MASK);
  }
  for (const shape of SHAPES) {
    value = value.replace(shape, () => {
      count += 1;
      return MASK;
    });
  }
  const assigned = assignedSecrets(value);
  return { value: without(value, assigned), count: count + assigned.length };
}

function without(text: string, spans: readonly Span[]): string {
  let rest = 0;
  let masked = '';
  for (const { start, end } of spans) {
    masked += text.slice(rest, start) + MASK;
    rest = end;
  }
  return masked + text.slice(rest);
}

/**
 * Like `maskText`, but masks every string in a JSON value except keys. Returns the same value if nothing was
 * masked. Throws the same errors as `JSON.stringify`.
 */
export function maskJson<Value>(value: Value, secrets?: readonly string[]): Masked<Value>;
export function maskJson(value: unknown, secrets: readonly string[] = []): Masked<unknown> {
  let count = 0;
  const copy: unknown = JSON.parse(
    JSON.stringify(value, (_key, member: unknown) => {
      if (typeof member !== 'string') return member;
      const masked = maskText(member, secrets);
      count += masked.count;
      return masked.value;
    }),
  );
  return { value: count === 0 ? value : copy, count };
}
