import type { JsonObject } from '../../src/core/index.js';

/** The format that is written. */
export const FORMAT_VERSION = 2;

/**
 * Converts a line's object to the next format. Files are never rewritten: lines are converted on each read,
 * so that checksums and chain stay those of the bytes.
 */
export interface FormatStep {
  readonly from: number;
  apply(line: JsonObject): JsonObject;
}

/** All steps, oldest first. Records of format 1 have the same content without MACs. */
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
