// Apart from the rest: what reads events in a browser has no hashes of Node.
import { hash } from 'node:crypto';

import type { JsonValue } from './json.js';
import { canonicalJson } from './json.js';

/** SHA-256 of bytes, or of text as UTF-8. 64 lower-case hex digits. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** Fingerprint of a JSON value: equal values give equal digests whatever the order of their keys. 64 hex digits. */
export function digestOf(value: JsonValue): string {
  return sha256(canonicalJson(value));
}
