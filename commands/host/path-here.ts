import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

/**
 * The place of a file that a session names. A session keeps absolute paths; where one is gone that lay below the folder
 * in which the session began, the same file below the folder where it goes on stands for it: another checkout.
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
