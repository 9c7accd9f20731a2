/** Shapes of keys that are known by their look; each match is masked whole. */
const SECRETS: readonly RegExp[] = [
  /\bsk-ant-[A-Za-z0-9_-]{16,}/gu,
  /\bsk-[A-Za-z0-9_-]{20,}/gu,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/gu,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/gu,
  /\bAKIA[0-9A-Z]{16}\b/gu,
  /\bAIza[0-9A-Za-z_-]{35}/gu,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/gu,
  /\bglpat-[A-Za-z0-9_-]{20,}/gu,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/gu,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----/gu,
];

/** Masks what looks like a key or a token, and counts it. */
export function redactSecrets(text: string): { readonly text: string; readonly count: number } {
  let count = 0;
  let masked = text;
  for (const pattern of SECRETS) {
    masked = masked.replace(pattern, () => {
      count += 1;
      return '[redacted]';
    });
  }
  return { text: masked, count };
}
