import type { Shown } from '../core/index.js';

/** The place where text goes; `process.stdout` is one. Whoever owns the stream handles its errors (EPIPE). */
export interface Output {
  write(text: Shown): unknown;
  /** Width of the terminal in columns; absent or undefined where there is none. Read at every use: windows change. */
  readonly columns?: number | undefined;
}

/** Columns of an output; 80 where it does not say. */
export function outputColumns(output: Output): number {
  const { columns = 0 } = output;
  return columns > 0 ? columns : 80;
}
