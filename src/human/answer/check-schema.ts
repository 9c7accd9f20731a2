import * as z from 'zod';

import type { JsonObject, JsonValue } from '../../core/index.js';
import { hasPatterns, issueText, PATTERN_TOO_SLOW, withinPatternTime } from '../../core/index.js';

/**
 * Checks an entered value against a JSON Schema. Returns one line per issue, with its location (`amount:
 * expected number, received string`). Ignores anything that zod cannot express, because the tool validates
 * again before it runs. Issues may quote keys from the value: escape them before showing them.
 */
export function checkSchema(value: JsonValue, schema: JsonObject | undefined): readonly string[] {
  if (schema === undefined) return [];
  const type = compile(schema);
  if (type === undefined) return [];
  const check = () => type.safeParse(value);
  const result = hasPatterns(schema) ? withinPatternTime(check) : check();
  if (result === undefined) return [PATTERN_TOO_SLOW];
  return result.success ? [] : result.error.issues.map((issue) => lineOf(issue, []));
}

/** Whether a value matches a schema; always true if there is no schema. */
export function fitsSchema(value: JsonValue, schema: JsonObject | undefined): boolean {
  return checkSchema(value, schema).length === 0;
}

function compile(schema: JsonObject): z.ZodType | undefined {
  try {
    return z.fromJSONSchema({ ...schema });
  } catch {
    return undefined; // conditional or remote schemas: the tool's own check decides
  }
}

function lineOf(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): string {
  const path = [...before, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const variants = issue.errors.flatMap((issues) => issues.slice(0, 1).map((inner) => lineOf(inner, path)));
    return [...new Set(variants)].join(', or ');
  }
  return issueText({ path, message: issue.message });
}
