import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

/**
 * Resolves a session's file path. If an absolute path below the session's first folder no longer exists, uses
 * the same relative path below the current folder: another checkout.
 */
export function pathHere(
  file: string,
  { began, cwd }: { readonly began?: string; readonly cwd: string },
): string {
  if (began === undefined || began === cwd || existsSync(file)) return file;
  const below = relative(began, file);
  if (below === '' || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) return file;
  const here = join(cwd, below);
  return existsSync(here) ? here : file;
}
