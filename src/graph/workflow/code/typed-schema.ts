import type { JsonObject } from '../../../core/index.js';
import { isJsonObject } from '../../../core/index.js';
import { schemaProblem } from '../../node-schema.js';

interface Fits<Output> {
  readonly value: Output;
  readonly issues?: undefined;
}

interface Misfits {
  readonly issues: readonly unknown[];
}

/** A schema of zod 4 and others (Standard Schema), whose type the result has. */
export interface TypedSchema<Output> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Fits<Output> | Misfits | Promise<Fits<Output> | Misfits>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Readonly<Record<string, unknown>>;
    };
  };
}

/** Gives what a schema makes of a value, or what is wrong with it. */
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

/** True for a schema that has types. */
export function isTypedSchema(schema: TypedSchema<unknown> | JsonObject): schema is TypedSchema<unknown> {
  return '~standard' in schema;
}

/** The JSON Schema of a schema, for whoever answers; `undefined` where it has none. */
export function jsonSchemaOf(schema: TypedSchema<unknown> | JsonObject): JsonObject | undefined {
  if (!isTypedSchema(schema)) return schema;
  const json = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (!isJsonObject(json)) return undefined;
  const { $schema: _schema, ...rest } = json;
  return rest;
}
