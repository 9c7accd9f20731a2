import { readFileSync } from 'node:fs';

/** Written in by the build; absent when run from source. */
declare const HITL_VERSION: string | undefined;

/** The version of this program. */
export function version(): string {
  if (typeof HITL_VERSION === 'string') return HITL_VERSION;
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return /"version": "([^"]+)"/u.exec(text)?.[1] ?? 'unknown';
}
