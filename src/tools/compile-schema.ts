import { fromJSONSchema } from 'zod';
import * as z from 'zod/v4/core';
import en from 'zod/v4/locales/en.js';

import type { JsonObject, JsonValue } from '../core/index.js';
import {
  hasPatterns,
  HitlError,
  isJsonObject,
  issueText,
  messageOf,
  PATTERN_TOO_SLOW,
  withinPatternTime,
} from '../core/index.js';

import { toJson } from './to-json.js';

z.config(en());

/** A zod 4 schema, or JSON Schema as a plain object. `Output` is the validated type. */
export type Schema<Output, Input = unknown> = z.$ZodType<Output, Input> | JsonObject;

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  /** One line per issue, with its location, for example `amount: expected number`. */
  | { readonly ok: false; readonly issues: readonly string[] };

const ENDLESS: Parsed<never> = { ok: false, issues: ['its schema is infinitely recursive'] };
const TOO_SLOW: Parsed<never> = { ok: false, issues: [PATTERN_TOO_SLOW] };

/** A compiled schema: JSON Schema for providers and people, and a validator. */
export interface CompiledSchema<Value> {
  readonly json: JsonObject;
  /** Validates a value. Synchronous unless the schema has asynchronous checks. */
  parse(value: unknown): Parsed<Value> | Promise<Parsed<Value>>;
  /** Works like `parse`, but synchronously. Returns `undefined` if the schema has asynchronous checks. */
  parseNow(value: unknown): Parsed<Value> | undefined;
}

/**
 * Compiles a schema. Its input and output must be representable in JSON Schema, because validated values are
 * journaled and may be validated again. `where` identifies the schema in errors. A JSON Schema is assumed to
 * match `Value`.
 * @throws HitlError BAD_CONFIG if the schema is invalid, or not representable in JSON Schema.
 */
export function compileSchema<Value>(schema: Schema<Value>, where: string): CompiledSchema<Value>;
export function compileSchema(schema: unknown, where: string): CompiledSchema<unknown> {
  const [type, json] = isZodType(schema) ? [schema, describe(schema, where)] : readJsonSchema(schema, where);
  const isLimited = hasPatterns(json);
  let waits = false; // as the first value tells that comes to an asynchronous check
  const parseNow = (value: unknown): Parsed<unknown> | undefined => {
    try {
      const check = () => toParsed(z.safeParse(type, value));
      return isLimited ? (withinPatternTime(check) ?? TOO_SLOW) : check();
    } catch (error) {
      // By name: the schema may come from another copy of zod.
      if (error instanceof Error && error.constructor.name === '$ZodAsyncError') return undefined;
      if (error instanceof RangeError) return ENDLESS;
      throw error;
    }
  };
  return {
    json,
    parse(value) {
      const parsed = waits ? undefined : parseNow(value);
      if (parsed !== undefined) return parsed;
      waits = true;
      const check = () => z.safeParseAsync(type, value).then(toParsed);
      return isLimited ? (withinPatternTime(check) ?? TOO_SLOW) : check();
    },
    parseNow,
  };
}

/** Whether a value is a zod 4 schema, possibly from another copy of the package. */
function isZodType(schema: unknown): schema is z.$ZodType {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

function describe(schema: z.$ZodType, where: string): JsonObject {
  try {
    jsonForm(schema, 'output');
    return withoutDialect(jsonForm(schema, 'input'));
  } catch (error) {
    throw new HitlError('BAD_CONFIG', `${where} cannot be represented in JSON Schema: ${messageOf(error)}`, {
      hint: 'use JSON types without transforms; convert inside the tool',
      cause: error,
    });
  }
}

interface StandardSchema {
  readonly '~standard': {
    readonly vendor: string;
    readonly jsonSchema?: Readonly<Record<Direction, (options: { target: 'draft-2020-12' }) => object>>;
  };
}

type Direction = 'input' | 'output';

/**
 * Converts a schema to JSON Schema with the copy of zod that created it, if that copy supports it (zod 4.2
 * and later). Another version could misread the schema.
 */
function jsonForm(schema: z.$ZodType & StandardSchema, io: Direction): object {
  const { jsonSchema } = schema['~standard'];
  return (
    jsonSchema?.[io]({ target: 'draft-2020-12' }) ??
    z.toJSONSchema(schema, { io, metadata: new Descriptions() })
  );
}

/**
 * Registry of schema descriptions. Before zod 4.3, each copy of zod has its own registry, so a description
 * that is missing here is read from the schema itself.
 */
class Descriptions extends z.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.$ZodType): Record<string, unknown> | undefined {
    const told = z.globalRegistry.get(schema);
    if (told !== undefined || !('description' in schema)) return told;
    return { description: schema.description };
  }
}

function readJsonSchema(schema: unknown, where: string): [z.$ZodType, JsonObject] {
  if (!isJsonObject(schema) || '_def' in schema || '~standard' in schema) {
    throw new HitlError('BAD_CONFIG', `${where} is neither a zod 4 schema nor a JSON Schema object`, {
      hint: 'pass z.object({ … }) from zod 4, or { "type": "object", "properties": { … } }',
    });
  }
  try {
    return [fromJSONSchema(schema), withoutDialect(schema)];
  } catch (error) {
    throw new HitlError('BAD_CONFIG', `${where} is not a usable JSON Schema: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Removes `$schema`, which costs tokens in every request and is useless to a model. */
function withoutDialect(schema: object): JsonObject {
  const json: JsonValue = toJson(JSON.parse(JSON.stringify(schema)), 'schema');
  if (!isJsonObject(json)) throw new HitlError('BAD_CONFIG', 'a schema must be an object');
  const { $schema: _dialect, ...rest } = json;
  return rest;
}

function toParsed<Value>(result: z.util.SafeParseResult<Value>): Parsed<Value> {
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, issues: result.error.issues.map(issueText) };
}
