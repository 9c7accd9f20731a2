/** The amount of content that is folded. */
export interface Hidden {
  readonly lines: number;
  readonly characters: number;
}

export const NOTHING_HIDDEN: Hidden = { lines: 0, characters: 0 };

export function addHidden(left: Hidden, right: Hidden): Hidden {
  return { lines: left.lines + right.lines, characters: left.characters + right.characters };
}

/**
 * Limits for the first view of a question. Content beyond them is replaced with a count and shown on request.
 */
export interface FoldLimits {
  /** Maximum number of rows for all fields together. */
  readonly maxRows: number;
  /** Maximum number of lines per text. */
  readonly maxLines: number;
  /** Maximum number of characters per line. */
  readonly maxCharacters: number;
}

/** Default limits, with which a question fits on most screens. */
export const FOLD_LIMITS: FoldLimits = { maxRows: 40, maxLines: 12, maxCharacters: 600 };

export type FoldedPiece =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'hidden' } & Hidden);

/**
 * Returns the part of a limit that is used for the head: two thirds. The tail gets the remainder, because the
 * end of a command is also important.
 */
function shareOfHead(limit: number): number {
  return Math.ceil((limit * 2) / 3);
}

/** Splits rows into the first and last rows that fit the limit, and the rows between them. */
export function foldRows<T>(
  rows: readonly T[],
  limit: number,
): { readonly head: readonly T[]; readonly tail: readonly T[]; readonly left: readonly T[] } {
  const head = shareOfHead(limit);
  const tail = limit - head;
  return {
    head: rows.slice(0, head),
    tail: rows.slice(rows.length - tail),
    left: rows.slice(head, rows.length - tail),
  };
}

/** Whether a text is too long to be shown in full at first. */
export function isLong(text: string): boolean {
  return foldText(text, FOLD_LIMITS).some((piece) => piece.type === 'hidden');
}

/**
 * Reduces a text to its head and tail, with a count of the hidden characters or lines between them. Without
 * limits, or for a short text, returns one piece. Two text pieces always have a hidden piece between them.
 * Surrogate pairs are never split.
 */
export function foldText(text: string, limits: FoldLimits | undefined): readonly FoldedPiece[] {
  if (limits === undefined) return [{ type: 'text', text }];
  const lines = text.split('\n');
  if (lines.length <= limits.maxLines)
    return joinPieces(lines.map((line) => foldLine(line, limits.maxCharacters)));
  const { head, tail, left } = foldRows(lines, limits.maxLines);
  const characters = left.reduce((sum, line) => sum + line.length, 0);
  return [
    ...joinPieces(head.map((line) => foldLine(line, limits.maxCharacters))),
    { type: 'hidden', lines: left.length, characters },
    ...joinPieces(tail.map((line) => foldLine(line, limits.maxCharacters))),
  ];
}

/** Folds a key like a single line, even if it contains line breaks. */
export function foldKey(key: string, limits: FoldLimits): readonly FoldedPiece[] {
  return foldLine(key, limits.maxCharacters);
}

function foldLine(line: string, limit: number): readonly FoldedPiece[] {
  if (line.length <= limit) return [{ type: 'text', text: line }];
  const head = afterPair(line, shareOfHead(limit));
  const tail = afterPair(line, line.length - (limit - shareOfHead(limit)));
  return [
    { type: 'text', text: line.slice(0, head) },
    { type: 'hidden', lines: 0, characters: tail - head },
    { type: 'text', text: line.slice(tail) },
  ];
}

function afterPair(text: string, index: number): number {
  const point = text.codePointAt(index - 1);
  return point !== undefined && point > 0xffff ? index + 1 : index;
}

/** Combines the pieces of all lines, joining adjacent text pieces. */
function joinPieces(lines: readonly (readonly FoldedPiece[])[]): readonly FoldedPiece[] {
  const joined: FoldedPiece[] = [];
  for (const pieces of lines) {
    const last = joined.at(-1);
    const [first, ...rest] = pieces;
    if (last?.type === 'text' && first?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: `${last.text}\n${first.text}` };
      joined.push(...rest);
    } else joined.push(...pieces);
  }
  return joined;
}
