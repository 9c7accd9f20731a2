/** A path with the home folder in the place of a `~` at its start; any other path is what it was. */
export function fromHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}
