import type { JsonObject } from '../../core/index.js';
import { isJsonObject } from '../../core/index.js';

/**
 * A validator of values, as in zod 4 and others (Standard Schema). Its transformations are not used: the given value
 * is journaled.
 */
export interface NodeSchema {
  readonly '~standard': { readonly validate: (value: unknown) => unknown };
}

/** Describes a value's violation in one line; `undefined` if it is valid. */
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

/** Reads a Standard Schema path segment: a key, or an object with one. */
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

/** A schema of zod 4 and others (Standard Schema), which types the result. */
export interface TypedSchema<Output> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Fits<Output> | Misfits | Promise<Fits<Output> | Misfits>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Readonly<Record<string, unknown>>;
    };
  };
}

/** Parses a value with a schema, or returns the problem. */
export async function parsed<Output>(
  schema: TypedSchema<Output>,
  value: unknown,
): Promise<{ readonly ok: true; readonly value: Output } | { readonly ok: false; readonly why: string }> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return {
    ok: false,
    why: schemaProblem({ '~standard': { validate: () => result } }, value) ?? 'it does not fit',
  };
}

/** Whether the schema types its values. */
export function isTypedSchema(schema: TypedSchema<unknown> | JsonObject): schema is TypedSchema<unknown> {
  return '~standard' in schema;
}

/** Returns a schema's JSON Schema, for answers; `undefined` if it has none. */
export function jsonSchemaOf(schema: TypedSchema<unknown> | JsonObject): JsonObject | undefined {
  if (!isTypedSchema(schema)) return schema;
  const json = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (!isJsonObject(json)) return undefined;
  const { $schema: _schema, ...rest } = json;
  return rest;
}
