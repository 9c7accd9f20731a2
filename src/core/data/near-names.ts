/** Maximum length of a word to compare. Longer words are not names, and are slow to compare. */
const LONGEST = 255;

/**
 * Counts the single-letter changes that turn `word` into each prefix of `other`, from the empty prefix to all
 * of `other`.
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

/** Returns up to 3 names similar to an unknown one, most similar first. */
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

/** Returns the hint for an unknown name: similar names if there are any, otherwise the fallback. */
export function meantHint(near: readonly string[], otherwise: string): string {
  if (near.length === 0) return otherwise;
  return `did you mean ${near.map((name) => `\`${name}\``).join(' or ')}?`;
}
