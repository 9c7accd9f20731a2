import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

/**
 * Resolves the path of a session's file. If an absolute path in the session's original folder does not exist,
 * but the same relative path exists in the current folder, uses the path in the current folder. That folder
 * may be a different checkout.
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
