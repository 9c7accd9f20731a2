/**
 * True where a message for `target` may be delivered at a path: it names the innermost nodes there, with or without
 * their visits. `review` fits `outer@1/review@2`, `review@3` does not. A message without a target fits everywhere.
 */
export function isFor(target: string | undefined, path: string): boolean {
  if (target === undefined) return true;
  const wanted = target.split('/').reverse();
  const here = path.split('/').reverse();
  return wanted.every((name, index) => {
    const place = here[index];
    return place !== undefined && (place === name || place.replace(/@\d+$/, '') === name);
  });
}
