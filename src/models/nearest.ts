/** Changes of one character that make one word of the other. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i += 1) {
    let diagonal = i;
    let before = i + 1;
    const next = [before];
    for (const [j, above] of row.slice(1).entries()) {
      before = Math.min(diagonal + (left[i] === right[j] ? 0 : 1), above + 1, before + 1);
      diagonal = above;
      next.push(before);
    }
    row = next;
  }
  return row.at(-1) ?? left.length;
}

/** The known word that was probably meant; `undefined` where none is near, or the word is too long to be one. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 100) return undefined;
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const changes = distance(word.toLowerCase(), candidate.toLowerCase());
    if (changes < least) [best, least] = [candidate, changes];
  }
  return best;
}
