import type { SessionId } from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 6;

function timeText(ms: number): string {
  let text = '';
  let rest = Math.max(0, Math.floor(ms));
  for (let place = 0; place < TIME_DIGITS; place += 1) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}

/**
 * Returns a new id that sorts after earlier ones. It consists of 10 characters for the time and 6 random
 * characters, in Crockford's base 32.
 */
export function newSessionId(nowMs: number, random: (size: number) => Uint8Array): SessionId {
  let text = timeText(nowMs);
  for (const byte of random(RANDOM_DIGITS)) text += DIGITS.charAt(byte % DIGITS.length);
  return checkSessionId(text);
}
