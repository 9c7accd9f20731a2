/**
 * Up to this length the built-in search is fast enough: its repetition is bounded by the pattern's length.
 */
const SHORT = 64;

/** Finds a text's next occurrence, or -1, in linear time for any content. */
export function findText(text: string, wanted: string, from = 0): number {
  return wanted.length <= SHORT ? text.indexOf(wanted, from) : findLong(text, wanted, from);
}

/** Knuth, Morris and Pratt: never looks back in the text. */
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

/** For each prefix of a text, returns the length of its longest suffix that is also a prefix. */
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
