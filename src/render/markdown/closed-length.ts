interface OpenRun {
  readonly mark: string;
  count: number;
}

const wordsPattern = () => /[\p{L}\p{N}]/u;
const SPACE = /\s/;
const ABSENT = -1;

function runLength(source: string, at: number): number {
  let end = at;
  while (end < source.length && source[end] === source[at]) end += 1;
  return end - at;
}

/** Returns the end of the code span that starts at this position, or `ABSENT`. */
function codeSpanEnd(source: string, at: number, length: number): number {
  let from = at + length;
  for (;;) {
    const close = source.indexOf('`', from);
    if (close === ABSENT) return ABSENT;
    const found = runLength(source, close);
    if (found === length) return close + found;
    from = close + found;
  }
}

/**
 * Returns the end of the link that starts at this position, the position after `[` if it is not a link, or
 * `ABSENT` if more text is needed.
 */
function linkEnd(source: string, at: number): number {
  const close = source.indexOf(']', at);
  if (close === ABSENT || close + 1 === source.length) return ABSENT;
  if (source[close + 1] !== '(') return at + 1;
  const end = source.indexOf(')', close);
  return end === ABSENT ? ABSENT : end + 1;
}

function closeRuns(open: OpenRun[], mark: string, count: number): number {
  let left = count;
  for (let top = open.at(-1); left > 0 && top?.mark === mark; top = open.at(-1)) {
    const used = Math.min(left, top.count);
    left -= used;
    top.count -= used;
    if (top.count === 0) open.pop();
  }
  return left;
}

/**
 * Determines whether a run of `*`, `_` or `~` can open emphasis and whether it can close it. Simplified from
 * CommonMark's flanking rules.
 */
function flanking(
  source: string,
  at: number,
  length: number,
): { readonly opens: boolean; readonly closes: boolean } {
  const before = source[at - 1] ?? ' ';
  const after = source[at + length] ?? ' ';
  const left = !SPACE.test(after) && (wordsPattern().test(after) || !wordsPattern().test(before));
  const right = !SPACE.test(before) && (wordsPattern().test(before) || !wordsPattern().test(after));
  if (source[at] !== '_') return { opens: left, closes: right };
  return { opens: left && !wordsPattern().test(before), closes: right && !wordsPattern().test(after) };
}

/** Scans one element and returns the position after it. Returns `ABSENT` if more text is needed. */
function step(source: string, at: number, open: OpenRun[]): number {
  const character = source.charAt(at);
  switch (character) {
    case '\\':
      return at + 2;
    case '`':
      return codeSpanEnd(source, at, runLength(source, at));
    case '[':
      return linkEnd(source, at);
    case '*':
    case '_':
    case '~': {
      const length = runLength(source, at);
      if (at + length === source.length) return ABSENT;
      const { opens, closes } = flanking(source, at, length);
      const left = closes ? closeRuns(open, character, length) : length;
      if (opens && left > 0) open.push({ mark: character, count: left });
      return at + length;
    }
    default:
      return at + 1;
  }
}

/** Matches a letter in a script without spaces. Text may be cut between two such letters. */
const UNSPACED =
  /^(?!\p{M})[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const FIRST_UNSPACED = '\u0E01';

function canCutBefore(source: string, at: number): boolean {
  const before = source.charAt(at - 1);
  if (before < FIRST_UNSPACED) return SPACE.test(before);
  return UNSPACED.test(before) && UNSPACED.test(source.charAt(at));
}

/**
 * Returns the length of the part of streamed inline markdown that can be shown permanently. It ends at the
 * last whitespace, or at the last boundary between two letters of a script without spaces, outside any open
 * emphasis, code span or link. A wrong guess can lose formatting, but never text.
 */
export function closedLength(source: string): number {
  const open: OpenRun[] = [];
  let closed = 0;
  let at = 0;
  while (at < source.length) {
    if (at > 0 && open.length === 0 && canCutBefore(source, at)) closed = at;
    const next = step(source, at, open);
    if (next === ABSENT) return closed;
    at = next;
  }
  return at === source.length && open.length === 0 && SPACE.test(source[at - 1] ?? '') ? at : closed;
}

/**
 * Returns the position at which to cut text whose markup is never closed: after its last whitespace, or at
 * its end if there is none, but never within a character.
 */
export function forcedCut(source: string): number {
  const space = source.search(/\s\S*$/) + 1;
  if (space > 0) return space;
  const last = source.charCodeAt(source.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? source.length - 1 : source.length;
}
