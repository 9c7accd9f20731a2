import type { JsonObject } from '../../src/core/index.js';

/** The format in which new lines are written. */
export const FORMAT_VERSION = 2;

/**
 * Converts a line to the next format. Files are never rewritten. Instead, lines are converted each time they
 * are read, so that checksums and chain values remain valid for the stored bytes.
 */
export interface FormatStep {
  readonly from: number;
  apply(line: JsonObject): JsonObject;
}

/** All steps, oldest first. Records in format 1 have the same content but no MACs. */
export const FORMAT_STEPS: readonly FormatStep[] = [{ from: 1, apply: (line) => ({ ...line, v: 2 }) }];

/** Converts a line to the current format; `undefined` if a step is missing. */
export function migrate(
  line: JsonObject,
  from: number,
  steps: readonly FormatStep[],
): JsonObject | undefined {
  let current = line;
  for (let version = from; version < FORMAT_VERSION; version += 1) {
    const step = steps.find((candidate) => candidate.from === version);
    if (step === undefined) return undefined;
    current = step.apply(current);
  }
  return current;
}
