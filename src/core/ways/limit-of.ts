import type { Interrupt } from '../interrupt.js';
import { isJsonObject } from '../json/index.js';

/** Which limit was reached: `turns`, `cost`, `time`, `iterations`. */
export function limitOf({ payload }: Interrupt): string {
  const limit = isJsonObject(payload) ? payload['limit'] : undefined;
  return typeof limit === 'string' ? limit : 'unknown';
}
