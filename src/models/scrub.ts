const KEY_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\bBearer\s+[^\s"',]+/gi, 'Bearer [key]'],
  [/\bx-api-key:\s*\S+/gi, 'x-api-key: [key]'],
];
const LONGEST = 500;

/** Masks secrets and likely keys (G33), and shortens the text to one readable line. */
export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[key]');
  for (const [pattern, mark] of KEY_PATTERNS) clean = clean.replace(pattern, mark);
  clean = clean.replaceAll(/\s+/g, ' ').trim();
  return clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST)}…`;
}
