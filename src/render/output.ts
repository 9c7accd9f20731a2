import type { Shown } from '../core/index.js';

/** A text destination, such as `process.stdout`. The stream's owner handles its errors (EPIPE). */
export interface Output {
  write(text: Shown): unknown;
  /** Width of the terminal in columns; absent without one. Read at every use: windows change. */
  readonly columns?: number | undefined;
}

/** Width of an output; 80 if unknown. */
export function outputColumns(output: Output): number {
  const { columns = 0 } = output;
  return columns > 0 ? columns : 80;
}
