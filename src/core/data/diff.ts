import { count } from './plain-line.js';

/** One line of a unified diff, with its numbers in the old and the new text. Text from outside. */
export interface DiffLine {
  readonly type: 'same' | 'removed' | 'added' | 'gap';
  readonly text: string;
  /** The number of the line in the new text; of a removed line in the old one. */
  readonly number?: number;
}

/** A unified diff that was parsed completely. */
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

/** The lines before the first change. */
const HEAD = /^(?:---|\+\+\+|=+$|Index: )/;

/**
 * Reads a unified diff of one file; `undefined` where a line of it cannot be read, so that nothing is left out. A diff of
 * two texts that are the same has no lines.
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
    hunk.lines.push({ type: 'gap', text: 'no line break at the end of the file' });
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

/** The lines of a diff with less around its changes: `context` lines before and after each; a gap says how many are left out. */
export function withContext(lines: readonly DiffLine[], context: number): readonly DiffLine[] {
  return counted(nearChanges(lines, context));
}

/** A gap between two unchanged lines is told in lines. */
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
