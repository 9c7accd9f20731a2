/** A place inside a graph for people: `outer › left`, with the visit only where it is not the first. Not escaped. */
export function pathText(path: string): string {
  const parts = path.split('/').map((part) => part.replace(/@1$/, ''));
  // A branch is named as the node that runs in it.
  return parts.filter((part, index) => part !== '' && part !== parts[index - 1]).join(' › ');
}
