/**
 * Maximum length of a text to find with the built-in search. Its worst-case time grows with the length of the
 * text, so it is fast enough only for short ones.
 */
const SHORT = 64;

/** Returns the position of the next occurrence of a text, or -1. Takes linear time for any content. */
export function findText(text: string, wanted: string, from = 0): number {
  return wanted.length <= SHORT ? text.indexOf(wanted, from) : findLong(text, wanted, from);
}

/** Searches with the Knuth-Morris-Pratt algorithm, which reads each character only once. */
function findLong(text: string, wanted: string, from: number): number {
  const backs = backsOf(wanted);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = backs[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched += 1;
    if (matched === wanted.length) return at - matched + 1;
  }
  return -1;
}

/** Returns, for each prefix of a text, the length of its longest proper suffix that is also a prefix. */
function backsOf(wanted: string): Int32Array {
  const backs = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    const code = wanted.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = backs[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched += 1;
    backs[at] = matched;
  }
  return backs;
}
