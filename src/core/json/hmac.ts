import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA256 of text as UTF-8, in base64url. */
export function hmacSha256(key: string | Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Compares two texts in a time that says nothing of where they differ. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
