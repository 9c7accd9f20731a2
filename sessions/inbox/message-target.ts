/**
 * Whether a message for `target` may be delivered at a path: it names the innermost nodes there, with or
 * without visits. `review` matches `outer@1/review@2`, `review@3` does not. Without a target, it matches
 * every path.
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

/**
 * Explains why a target can never be reached; `undefined` if it may be, or if the names are unknown. A run
 * inside a node may have a number, or a call's name.
 */
export function targetProblem(target: string, names: readonly string[] | undefined): string | undefined {
  if (names === undefined) return undefined;
  const parts = target.split('/').map((part) => part.replace(/@\d+$/, ''));
  const unknown = parts.find((part) => !/^\d+$|#/.test(part) && !names.includes(part));
  return unknown === undefined
    ? undefined
    : `there is no node \`${unknown.slice(0, 100)}\` in this session; there are: ${names.join(', ')}`;
}
