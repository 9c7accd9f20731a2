import * as z from 'zod/mini';

import { HitlError } from '../core/index.js';

import type { CompiledSchema, Parsed, Schema } from './compile-schema.js';
import { compileSchema } from './compile-schema.js';

/** The compiled schemas of a tool. */
export interface ToolSchemas {
  readonly input: CompiledSchema<unknown>;
  readonly output: CompiledSchema<unknown> | undefined;
  readonly interrupt: CompiledSchema<unknown> | undefined;
  readonly resume: CompiledSchema<unknown> | undefined;
}

interface RawSchemas {
  readonly input?: Schema<unknown>;
  readonly output?: Schema<unknown>;
  readonly interrupt?: Schema<unknown>;
  readonly resume?: Schema<unknown>;
}

/** Accepts any properties, for tools without an input schema. */
const NO_INPUT = z.looseObject({});

/**
 * Compiles the schemas of the tool `name`.
 * @throws HitlError BAD_CONFIG for an unusable schema.
 */
export function compileToolSchemas(raw: RawSchemas, name: string): ToolSchemas {
  const compiled = (part: keyof RawSchemas) => {
    const schema = raw[part];
    return schema === undefined ? undefined : compileSchema(schema, `the ${part} schema of tool \`${name}\``);
  };
  return {
    input: compiled('input') ?? compileSchema(NO_INPUT, 'no input'),
    output: compiled('output'),
    interrupt: compiled('interrupt'),
    resume: compiled('resume'),
  };
}

/**
 * Validates a value and returns it as parsed.
 * @throws HitlError TOOL_INPUT if the value is invalid; `what` identifies it in the error.
 */
export async function fitting<Value>(
  schema: CompiledSchema<Value>,
  value: unknown,
  what: string,
): Promise<Value> {
  const parsed = await schema.parse(value);
  return parsed.ok ? parsed.value : refuse(what, parsed.issues);
}

/**
 * Works like `fitting`, but synchronously. Does nothing if the schema has asynchronous checks.
 * @throws HitlError TOOL_INPUT if the value is invalid.
 */
export function checkNow(schema: CompiledSchema<unknown> | undefined, value: unknown, what: string): void {
  const parsed = schema?.parseNow(value);
  if (parsed?.ok === false) refuse(what, parsed.issues);
}

function refuse(what: string, issues: readonly string[]): never {
  throw new HitlError('TOOL_INPUT', `${what} does not match its schema: ${issues.join('; ')}`, {
    detail: { issues },
  });
}

/**
 * Returns the values to try when a resume value is validated. For an approval without a value, the engine
 * passes `true`; an object schema may accept `{}` instead.
 */
function readingsOf(passedOn: unknown): readonly unknown[] {
  return passedOn === true ? [true, {}] : [passedOn];
}

/** Validates a resume value with the resume schema. */
export async function parseResumed(
  schema: CompiledSchema<unknown>,
  passedOn: unknown,
): Promise<Parsed<unknown>> {
  return firstFit(await Promise.all(readingsOf(passedOn).map(async (reading) => schema.parse(reading))));
}

/**
 * Works like `parseResumed`, but synchronously. Returns `undefined` if the schema has asynchronous checks.
 */
export function parseResumedNow(
  schema: CompiledSchema<unknown>,
  passedOn: unknown,
): Parsed<unknown> | undefined {
  const parsed = readingsOf(passedOn).map((reading) => schema.parseNow(reading));
  return parsed.some((one) => one === undefined)
    ? undefined
    : firstFit(parsed.filter((one) => one !== undefined));
}

function firstFit(parsed: readonly Parsed<unknown>[]): Parsed<unknown> {
  const fit = parsed.find(({ ok }) => ok);
  return fit ?? { ok: false, issues: parsed.flatMap((one) => (one.ok ? [] : one.issues)) };
}
