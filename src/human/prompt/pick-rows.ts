import { columnsOf, escapeText, wrapWords } from '../../core/index.js';

/** One row of a list that can be searched. Facts and text may be from outside: they are escaped where they are shown. */
export interface PickRow<Value> {
  /** The facts in columns before the text, such as a state and an age. */
  readonly facts: readonly string[];
  readonly text: string;
  /** The words below the text, a line each; safe for a terminal already. */
  readonly below?: readonly string[];
  /** The text that the search looks through beside what is shown. */
  readonly words?: string;
  readonly value: Value;
}

const GAP = '  ';
/** The cursor stands before the first line of a row only. */
const CURSOR = '  ';
/** A longer text is counted on by its end: a list is looked over, not read. */
const MOST_ROWS = 2;

/** The rows that hold every word, with their places. */
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

/** Makes what stands before the text of each row, in columns that are as wide as the widest of them all. */
export function factsInColumns(rows: readonly Pick<PickRow<unknown>, 'facts'>[]): readonly string[] {
  const shown = rows.map(({ facts }) => facts.map(escapeText));
  const widths = (shown[0] ?? []).map((_, at) =>
    Math.max(...shown.map((facts) => columnsOf(facts[at] ?? ''))),
  );
  return shown.map((facts) =>
    facts.map((fact, at) => `${fact}${' '.repeat((widths[at] ?? 0) - columnsOf(fact))}${GAP}`).join(''),
  );
}

/** A row as the lines of a screen: the text broken at words in its column, and what stands below it. */
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
