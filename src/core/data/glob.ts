/**
 * True where a text fits a pattern with `*` for any characters and `?` for one; in time proportional to the product
 * of their lengths, whatever the pattern.
 */
export function fitsGlob(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let retry = 0;
  while (at < text.length) {
    const expected = pattern[next];
    if (expected === '*') {
      star = next;
      retry = at;
      next += 1;
    } else if (expected === '?' || (expected !== undefined && expected === text[at])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      // The last star takes one character more.
      retry += 1;
      at = retry;
      next = star + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(next));
}
