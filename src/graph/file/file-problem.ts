import { HitlError } from '../../core/index.js';

/** Keys and indices that lead to a value in the file. */
export type FilePath = readonly (string | number)[];

/** A problem in a graph file. */
export interface FileProblem {
  readonly path: FilePath;
  readonly message: string;
}

/** A problem with its line and column, from 1, and its path in the form `nodes.review.gate`. */
export interface PlacedProblem {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** Creates a single error that lists every problem, one line each, in file order. */
export function fileError(file: string, problems: readonly PlacedProblem[]): HitlError {
  const sorted = problems.toSorted((left, right) => left.line - right.line || left.column - right.column);
  const told = [...new Set(sorted.map((problem) => shownProblem(file, problem)))];
  return new HitlError('BAD_GRAPH', told.join('\n'), { detail: { file, problems: sorted } });
}

function shownProblem(file: string, { line, column, path, message }: PlacedProblem): string {
  const place = `${file}:${line}:${column}`;
  return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
}
