const KEY_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\bBearer\s+[^\s"',]+/gi, 'Bearer [key]'],
  [/\bx-api-key:\s*\S+/gi, 'x-api-key: [key]'],
];
const LONGEST = 500;

/** Text without the secrets and without what looks like a key (G33), on one line and of a readable length. */
export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[key]');
  for (const [pattern, mark] of KEY_PATTERNS) clean = clean.replace(pattern, mark);
  clean = clean.replaceAll(/\s+/g, ' ').trim();
  return clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST)}…`;
}
