/** How many single-letter changes lead from one text to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** The names that may have been meant by a wrong one, nearest first; at most 3. */
export function nearNames(wrong: string, names: Iterable<string>): readonly string[] {
  const limit = Math.max(2, Math.floor(wrong.length / 3));
  return [...names]
    .map((name) => ({ name, far: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((left, right) => left.far - right.far)
    .slice(0, 3)
    .map(({ name }) => name);
}
