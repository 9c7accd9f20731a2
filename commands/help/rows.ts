import { wrapWords } from '../../src/core/index.js';

/** Formats two columns. Text in the second is wrapped to stay in its column. */
export function rows(pairs: readonly (readonly [string, string])[], columns: number): readonly string[] {
  const width = Math.max(...pairs.map(([left]) => left.length)) + 4;
  return pairs.flatMap(([left, right]) =>
    wrapWords(right, Math.max(20, columns - width)).map(
      (row, index) => `${(index === 0 ? `  ${left}` : '').padEnd(width)}${row.trimEnd()}`,
    ),
  );
}
