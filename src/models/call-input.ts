import type { JsonValue, Part } from '../core/index.js';
import { parseStrictJson } from '../core/index.js';

/** The input of a call. If the input was rejected, it is empty, and `problem` is the reason. */
export interface CallInput {
  readonly input: JsonValue;
  readonly problem?: string;
}

/** Parses the input of a call as written by a model. */
export function callInput(raw: string): CallInput {
  const parsed = parseStrictJson(raw);
  if (!parsed.ok) {
    const { problem, at, message } = parsed;
    return { input: {}, problem: `the input was not accepted (${problem} at character ${at}): ${message}` };
  }
  // A rounded integer names another account; a person would approve what the model did not write.
  const rounded = parsed.warnings.find(({ type }) => type === 'rounded-integer');
  if (rounded === undefined) return { input: parsed.value };
  const problem = `the input was rejected: ${rounded.message}; send integers of this size as strings`;
  return { input: {}, problem };
}

/** Returns the text that replaces a call in a reply if the call was cut off and did not run. */
export function cutCallText(name: string, reason: string, before: readonly Part[]): string {
  const gap = before.some((part) => part.type === 'text') ? '\n\n' : '';
  return `${gap}[A call to ${name} was cut off (${reason}) and did not run.]`;
}
