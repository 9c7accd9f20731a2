/**
 * A check of values, as schemas of zod 4 and others have it (Standard Schema). What it makes of a value is not used: what
 * was given is what is journaled.
 */
export interface NodeSchema {
  readonly '~standard': { readonly validate: (value: unknown) => unknown };
}

/** Says what is wrong with a value, as one line; `undefined` where it fits. */
export function schemaProblem(schema: NodeSchema, value: unknown): string | undefined {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => undefined); // nobody waits for it
    return 'its schema has checks that take time, which cannot be used here';
  }
  const issues: unknown =
    typeof result === 'object' && result !== null && 'issues' in result ? result.issues : undefined;
  if (!Array.isArray(issues)) return undefined;
  return issues.map(issueText).join('; ');
}

function issueText(issue: unknown): string {
  if (typeof issue !== 'object' || issue === null || !('message' in issue)) return 'it does not fit';
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path.map(keyOf).join('.') : '';
  return path === '' ? String(issue.message) : `${path}: ${String(issue.message)}`;
}

/** Standard Schema allows a key itself, or an object that holds it. */
function keyOf(part: unknown): string {
  return typeof part === 'object' && part !== null && 'key' in part ? String(part.key) : String(part);
}
