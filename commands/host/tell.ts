import type { Shown } from '../../src/core/index.js';
import { shown } from '../../src/core/index.js';
import { rowsWithin } from '../../src/render/plain.js';

/** A stream that may be a terminal. */
export interface Told {
  write(text: Shown): unknown;
  /** Absent or undefined where it is no terminal. */
  readonly columns?: number | undefined;
}

/**
 * Writes safe lines for a person: on a terminal they are broken at words, and what goes on hangs below them (G31);
 * elsewhere they go as they are.
 */
export function tell(to: Told, lines: Shown): void {
  const { columns = 0 } = to;
  to.write(shown`${rowsWithin(lines, columns > 0 ? columns : undefined)}\n`);
}
