import { count } from './plain-line.js';

/** One line of a unified diff, with its line number in the old or new text. The text is untrusted. */
export interface DiffLine {
  readonly type: 'same' | 'removed' | 'added' | 'gap';
  readonly text: string;
  /** The line number in the new text, or in the old text for a removed line. */
  readonly number?: number;
}

/** A completely parsed unified diff. */
export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** Old and new text of each hunk. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const MARKS: Readonly<Record<string, 'same' | 'removed' | 'added'>> = {
  ' ': 'same',
  '-': 'removed',
  '+': 'added',
};

interface Hunk {
  readonly lines: DiffLine[];
  before: string;
  after: string;
  old: number;
  new: number;
}

/** Matches the lines before the first change. */
const HEAD = /^(?:---|\+\+\+|=+$|Index: )/;

/**
 * Parses a unified diff of one file. Returns `undefined` if any line cannot be parsed, so that a diff is
 * never shown incompletely. A diff of two equal texts has no lines.
 */
export function readDiff(diff: string): Diff | undefined {
  const rows = diff.replace(/\n$/, '').split('\n');
  const found = rows.findIndex((row) => HUNK.test(row));
  const start = found < 0 && rows.length > 1 ? rows.length : found;
  if (start < 0 || rows.slice(0, start).some((row) => !HEAD.test(row))) return undefined;
  const hunks: Hunk[] = [];
  for (const row of rows.slice(start)) {
    const found = HUNK.exec(row);
    const hunk = hunks.at(-1);
    if (found !== null) {
      hunks.push({ lines: [], before: '', after: '', old: Number(found[1]), new: Number(found[2]) });
    } else if (hunk === undefined || !takeRow(hunk, row)) return undefined;
  }
  const lines = hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [{ type: 'gap', text: '' } as const] : []),
    ...hunk.lines,
  ]);
  return {
    lines,
    added: lines.filter(({ type }) => type === 'added').length,
    removed: lines.filter(({ type }) => type === 'removed').length,
    before: hunks.map((hunk) => hunk.before),
    after: hunks.map((hunk) => hunk.after),
  };
}

function takeRow(hunk: Hunk, row: string): boolean {
  if (row.startsWith('\\')) {
    hunk.lines.push({ type: 'gap', text: 'no newline at end of file' });
    return true;
  }
  const type = MARKS[row.slice(0, 1)];
  if (type === undefined) return false;
  const text = row.slice(1);
  hunk.lines.push({ type, text, number: type === 'removed' ? hunk.old : hunk.new });
  if (type !== 'added') {
    hunk.before += `${text}\n`;
    hunk.old += 1;
  }
  if (type !== 'removed') {
    hunk.after += `${text}\n`;
    hunk.new += 1;
  }
  return true;
}

/**
 * Returns a diff's lines with only `context` unchanged lines before and after each change. Each gap shows how
 * many lines are left out.
 */
export function withContext(lines: readonly DiffLine[], context: number): readonly DiffLine[] {
  return counted(nearChanges(lines, context));
}

/** Adds the number of omitted lines to each gap between two unchanged lines. */
function counted(lines: readonly DiffLine[]): readonly DiffLine[] {
  return lines.map((line, at) => {
    const [before, after] = [lines[at - 1], lines[at + 1]];
    if (line.type !== 'gap' || line.text !== '' || before?.type !== 'same' || after?.type !== 'same')
      return line;
    const left = (after.number ?? 0) - (before.number ?? 0) - 1;
    return left > 0 ? { ...line, text: count(left, 'unchanged line') } : line;
  });
}

function nearChanges(lines: readonly DiffLine[], context: number): readonly DiffLine[] {
  const isKept = lines.map(() => false);
  lines.forEach(({ type, text }, at) => {
    if (type === 'same' || (type === 'gap' && text === '')) return;
    for (let near = Math.max(0, at - context); near <= Math.min(lines.length - 1, at + context); near += 1)
      isKept[near] = true;
  });
  return lines.flatMap((line, at): DiffLine[] => {
    if (isKept[at] === true) return [line];
    return at > 0 && isKept[at - 1] === true && isKept.includes(true, at) ? [{ type: 'gap', text: '' }] : [];
  });
}
