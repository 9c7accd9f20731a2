/**
 * Whether a message for `target` may be delivered at a path. The target specifies the innermost nodes of the
 * path, with or without visit numbers: `review` matches `outer@1/review@2`, but `review@3` does not. Without
 * a target, the message matches every path.
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
 * Returns the reason that a target can never be reached; `undefined` if it may be reached, or if the node
 * names are unknown. A run inside a node may be identified by a number or by the name of a call.
 */
export function targetProblem(target: string, names: readonly string[] | undefined): string | undefined {
  if (names === undefined) return undefined;
  const parts = target.split('/').map((part) => part.replace(/@\d+$/, ''));
  const unknown = parts.find((part) => !/^\d+$|#/.test(part) && !names.includes(part));
  return unknown === undefined
    ? undefined
    : `unknown node \`${unknown.slice(0, 100)}\`; this session's nodes: ${names.join(', ')}`;
}
