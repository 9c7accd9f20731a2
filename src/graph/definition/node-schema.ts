import type { JsonObject } from '../../core/index.js';
import { isJsonObject } from '../../core/index.js';

/**
 * A schema from zod 4 or another Standard Schema library, used only for validation. Its transformations are
 * ignored, so that the journal records the original value.
 */
export interface NodeSchema {
  readonly '~standard': { readonly validate: (value: unknown) => unknown };
}

/** Returns the reason that a value is invalid, in one line; `undefined` if it is valid. */
export function schemaProblem(schema: NodeSchema, value: unknown): string | undefined {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => undefined); // nobody waits for it
    return 'its schema has asynchronous checks, which are not supported';
  }
  const issues: unknown =
    typeof result === 'object' && result !== null && 'issues' in result ? result.issues : undefined;
  if (!Array.isArray(issues)) return undefined;
  return issues.map(issueText).join('; ');
}

function issueText(issue: unknown): string {
  if (typeof issue !== 'object' || issue === null || !('message' in issue))
    return 'it does not match its schema';
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path.map(keyOf).join('.') : '';
  return path === '' ? String(issue.message) : `${path}: ${String(issue.message)}`;
}

/** Reads a segment of a Standard Schema path, which is a key or an object with a key. */
function keyOf(part: unknown): string {
  return typeof part === 'object' && part !== null && 'key' in part ? String(part.key) : String(part);
}

interface Fits<Output> {
  readonly value: Output;
  readonly issues?: undefined;
}

interface Misfits {
  readonly issues: readonly unknown[];
}

/** A schema from zod 4 or another Standard Schema library that determines the type of the result. */
export interface TypedSchema<Output> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Fits<Output> | Misfits | Promise<Fits<Output> | Misfits>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Readonly<Record<string, unknown>>;
    };
  };
}

/** Parses a value with a schema. If the value is invalid, returns the reason. */
export async function parsed<Output>(
  schema: TypedSchema<Output>,
  value: unknown,
): Promise<{ readonly ok: true; readonly value: Output } | { readonly ok: false; readonly why: string }> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return {
    ok: false,
    why: schemaProblem({ '~standard': { validate: () => result } }, value) ?? 'it does not match its schema',
  };
}

/** Whether a schema is a Standard Schema rather than a plain JSON Schema. */
export function isTypedSchema(schema: TypedSchema<unknown> | JsonObject): schema is TypedSchema<unknown> {
  return '~standard' in schema;
}

/** Returns a schema as JSON Schema, for use with answers; `undefined` if it cannot be converted. */
export function jsonSchemaOf(schema: TypedSchema<unknown> | JsonObject): JsonObject | undefined {
  if (!isTypedSchema(schema)) return schema;
  const json = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (!isJsonObject(json)) return undefined;
  const { $schema: _schema, ...rest } = json;
  return rest;
}
