import type { Shown } from '../core/index.js';

/** A text destination, for example `process.stdout`. The stream's owner handles its errors (EPIPE). */
export interface Output {
  write(text: Shown): unknown;
  /**
   * Width of the terminal in columns; absent if the output is not a terminal. Read at every use, because
   * windows can be resized.
   */
  readonly columns?: number | undefined;
}

/** Returns the width of an output; 80 if unknown. */
export function outputColumns(output: Output): number {
  const { columns = 0 } = output;
  return columns > 0 ? columns : 80;
}
