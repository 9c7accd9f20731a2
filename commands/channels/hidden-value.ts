// Invariants:
// H1 A secret stands in a variable or in a file of its owner alone, and never in a configuration, an error or an output.
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';

import { errnoOf, HitlError, isJsonObject } from '../../src/core/index.js';
import type { Io } from '../host/index.js';

const elsewhere = z.union([
  z.strictObject({ env: z.string().regex(/^\w+$/u, 'must be the name of an environment variable') }),
  // Whose folder it would be in is nobody's to say but the reader's: the configuration counts in every folder.
  z.strictObject({ file: z.string().refine(isPlaced) }),
]);

/** Whether a file path is absolute or starts in the home folder. */
function isPlaced(file: string): boolean {
  return isAbsolute(file) || file.startsWith('~/');
}

/** A reference to a secret. Rejects a literal secret. */
export const hiddenSchema = z.unknown().transform((given, context) => {
  const read = elsewhere.safeParse(given);
  if (read.success) return read.data;
  const why = isJsonObject(given)
    ? 'must be { "env": "NAME" } or { "file": "path" }, with a path that starts with / or ~/'
    : 'secrets must not be in the configuration; use { "env": "NAME" } or { "file": "path" }';
  context.issues.push({ code: 'custom', message: why, input: undefined }); // H1: not what was given
  return z.NEVER;
});

/** A reference to a secret. */
export type Hidden = z.infer<typeof elsewhere>;

/** Reads the secret that a reference points to. @throws HitlError BAD_CONFIG */
export function secretAt({ env, home }: Pick<Io, 'env' | 'home'>, place: Hidden, what: string): string {
  if ('env' in place) {
    const value = env[place.env]?.trim() ?? '';
    if (value !== '') return value;
    throw new HitlError('BAD_CONFIG', `${what}: environment variable \`${place.env}\` is not set`);
  }
  const file = place.file.startsWith('~/') ? join(home, place.file.slice(2)) : place.file;
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new HitlError('BAD_CONFIG', `${what}: ${file} is readable by other users`, {
        hint: `chmod 600 ${file}`,
      });
    const value = readFileSync(file, 'utf8').trim();
    if (value !== '') return value;
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new HitlError('BAD_CONFIG', `${what}: cannot read ${file}: ${errnoOf(cause) ?? ''}`, { cause });
  }
  throw new HitlError('BAD_CONFIG', `${what}: ${file} is empty`);
}
