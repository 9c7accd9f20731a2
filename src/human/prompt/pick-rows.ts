import { columnsOf, escapeText, wrapWords } from '../../core/index.js';

/** A row of a searchable list. `facts` and `text` may be untrusted, so they are escaped when displayed. */
export interface PickRow<Value> {
  /** Columns before the text, such as the state and the age. */
  readonly facts: readonly string[];
  readonly text: string;
  /** Lines below the text, safe for a terminal. */
  readonly below?: readonly string[];
  /** Additional searchable text. */
  readonly words?: string;
  readonly value: Value;
}

const GAP = '  ';
/** Indent for the cursor, which appears only on a row's first line. */
const CURSOR = '  ';
/**
 * Maximum number of lines per text. Longer texts are cut off, because users scan a list instead of reading
 * it.
 */
const MOST_ROWS = 2;

/** Returns the rows that contain all search words, with their indexes. */
export function matching<Value>(
  rows: readonly PickRow<Value>[],
  term: string | undefined,
): readonly (readonly [number, PickRow<Value>])[] {
  const wanted = (term ?? '').toLowerCase().split(/\s+/);
  return [...rows.entries()].filter(([, { facts, text, below = [], words = '' }]) => {
    const all = [...facts, text, ...below, words].join(' ').toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

/** Aligns the `facts` of all rows in columns. */
export function factsInColumns(rows: readonly Pick<PickRow<unknown>, 'facts'>[]): readonly string[] {
  const shown = rows.map(({ facts }) => facts.map(escapeText));
  const widths = (shown[0] ?? []).map((_, at) =>
    Math.max(...shown.map((facts) => columnsOf(facts[at] ?? ''))),
  );
  return shown.map((facts) =>
    facts.map((fact, at) => `${fact}${' '.repeat((widths[at] ?? 0) - columnsOf(fact))}${GAP}`).join(''),
  );
}

/** Wraps a row's text in its column and adds the lines below it. */
export function pickLines({ text, below = [] }: PickRow<unknown>, facts: string, columns: number): string {
  const indent = ' '.repeat(columnsOf(facts));
  const room = Math.max(8, columns - indent.length);
  const wrapped = (said: string, most: number) => cut(wrapWords(said, room - 1), most);
  const lines = [...wrapped(escapeText(text), MOST_ROWS), ...below.flatMap((said) => wrapped(said, 1))];
  return lines.map((line, at) => `${at === 0 ? facts : `${CURSOR}${indent}`}${line}`).join('\n');
}

function cut(rows: readonly string[], most: number): readonly string[] {
  if (rows.length <= most) return rows;
  return rows.slice(0, most).map((row, at) => (at === most - 1 ? `${row.trimEnd()}…` : row));
}
