import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Inserted by the build; absent when running from source. */
declare const HITL_VERSION: string | undefined;

export function version(): string {
  if (typeof HITL_VERSION === 'string') return HITL_VERSION;
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return /"version": "([^"]+)"/u.exec(text)?.[1] ?? 'unknown';
}
