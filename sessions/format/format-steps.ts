import type { JsonObject } from '../../src/core/index.js';

/** The format that is written. */
export const FORMAT_VERSION = 2;

/**
 * Brings the object of one line from a format to the next one. Files are never rewritten: lines are brought up to
 * date each time they are read, so that checksums and chain stay those of the bytes.
 */
export interface FormatStep {
  readonly from: number;
  apply(line: JsonObject): JsonObject;
}

/** Every step there is, oldest first. Records of format 1 hold the same, and have no macs. */
export const FORMAT_STEPS: readonly FormatStep[] = [{ from: 1, apply: (line) => ({ ...line, v: 2 }) }];

/** A line brought to the present format; `undefined` where a step is missing. */
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
