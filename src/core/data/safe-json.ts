import type { Shown } from './escape.js';
import { inJson, laidOut } from './escape.js';

const unsafeInJsonPattern = () =>
  /[\u007F-\u009F\u2800\uFFFC\u{1D159}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/**
 * Serializes a value as JSON that is safe on a terminal: control, bidi, blank and invisible characters are
 * written as `\u` escapes.
 */
export function safeJson(value: unknown, indent?: number): Shown {
  return laidOut(JSON.stringify(value, undefined, indent).replace(unsafeInJsonPattern(), inJson));
}
