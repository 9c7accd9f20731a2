/** Up to here the built-in search is as good: what it may do too often is bounded by the length of what is wanted. */
const SHORT = 64;

/** Finds where a text occurs next, or -1; in time proportional to the two lengths, whatever they hold. */
export function findText(text: string, wanted: string, from = 0): number {
  return wanted.length <= SHORT ? text.indexOf(wanted, from) : findLong(text, wanted, from);
}

/** Knuth, Morris and Pratt: no character of the text is looked at again after the next one was. */
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

/** For each beginning of a text: how long its longest end is that is a beginning as well. */
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
