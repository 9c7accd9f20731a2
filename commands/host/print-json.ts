import { safeJson, shown } from '../../src/core/index.js';
import type { Io } from './io.js';

/** Writes one JSON document to stdout, indented or on one line. The output is safe for a terminal. */
export function printJson({ stdout }: Io, value: unknown, form: 'indented' | 'line' = 'indented'): void {
  stdout.write(shown`${form === 'line' ? safeJson(value) : safeJson(value, 2)}\n`);
}
