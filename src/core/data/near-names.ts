/** Longer words are no names, and comparing them would take long. */
const LONGEST = 255;

/**
 * Counts the changes of one letter that turn `word` into each beginning of `other`, the empty one first and the whole
 * last.
 */
export function changesToBeginnings(word: string, other: string): readonly number[] {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < word.length; at += 1) {
    let diagonal = at;
    let before = at + 1;
    const next = [before];
    for (const [to, above] of row.slice(1).entries()) {
      before = Math.min(diagonal + (word[at] === other[to] ? 0 : 1), above + 1, before + 1);
      diagonal = above;
      next.push(before);
    }
    row = next;
  }
  return row;
}

/** The names that may have been meant by a wrong one, nearest first; at most 3. */
export function nearNames(wrong: string, names: Iterable<string>): readonly string[] {
  if (wrong.length > LONGEST) return [];
  const most = Math.max(2, Math.floor(wrong.length / 3));
  return [...names]
    .map((name) => ({ name, far: changesToBeginnings(wrong.toLowerCase(), name.toLowerCase()).at(-1) ?? 0 }))
    .filter(({ far }) => far <= most)
    .sort((left, right) => left.far - right.far)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** The hint for a wrong name: the names that may have been meant, else what there is. */
export function meantHint(near: readonly string[], otherwise: string): string {
  if (near.length === 0) return otherwise;
  return `did you mean ${near.map((name) => `\`${name}\``).join(' or ')}?`;
}
