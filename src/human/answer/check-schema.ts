import * as z from 'zod';

import type { JsonObject, JsonValue } from '../../core/index.js';
import { hasPatterns, issueText, PATTERN_TOO_SLOW, withinPatternTime } from '../../core/index.js';

/**
 * Checks a value that a person or a script gave against a JSON Schema: one line an issue, with its place, as in
 * `amount: expected number, received string`; empty where it fits. What zod cannot say of a schema is not checked here:
 * the tool checks again before it runs. Issues quote keys of the value: escape them before showing.
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

/** True where a value fits a schema; true without one. */
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
