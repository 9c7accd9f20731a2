// Apart from the rest: what reads events in a browser has no hashes of Node.
import { hash, createHmac, timingSafeEqual } from 'node:crypto';

import type { JsonValue } from './json.js';
import { canonicalJson } from './json.js';

/** Returns the SHA-256 of bytes, or of a string as UTF-8: 64 lowercase hex digits. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** Returns a digest of a JSON value, 64 hex digits. Key order does not matter. */
export function digestOf(value: JsonValue): string {
  return sha256(canonicalJson(value));
}

/** Returns the HMAC-SHA256 of a string as UTF-8, in base64url. */
export function hmacSha256(key: string | Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Compares two strings in constant time. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
