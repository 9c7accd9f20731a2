import type { JsonValue } from '../core/index.js';
import { HitlError } from '../core/index.js';

/**
 * Converts a value to JSON. `undefined` becomes `null`, `undefined` properties are omitted, and everything
 * else must already be JSON. `what` identifies the value in the error.
 * @throws HitlError TOOL_FAILED if the value is not JSON.
 */
export function toJson(value: unknown, what: string): JsonValue {
  return convert(value, what, undefined);
}

/** The objects that contain a value, innermost first. */
interface Parents {
  readonly value: object;
  readonly around: Parents | undefined;
}

function convert(value: unknown, place: string, parents: Parents | undefined): JsonValue {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : refuse(place, `the number ${value}`);
    case 'object':
      return value === null ? null : convertObject(value, place, parents);
    case 'bigint':
    case 'symbol':
    case 'function':
      return refuse(place, `a ${typeof value}`);
  }
}

function convertObject(value: object, place: string, around: Parents | undefined): JsonValue {
  for (let parent = around; parent !== undefined; parent = parent.around)
    if (parent.value === value) return refuse(place, 'a cycle');
  const parents: Parents = { value, around };
  if (Array.isArray(value)) return value.map((item, index) => convert(item, `${place}[${index}]`, parents));
  if (!isPlain(value)) return refuse(place, `a ${value.constructor.name}`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => [key, convert(member, `${place}.${key}`, parents)]),
  );
}

/** Whether an object is a plain object, possibly from another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuse(place: string, found: string): never {
  throw new HitlError('TOOL_FAILED', `${place} is ${found}, which is not valid in JSON`, {
    hint: 'return plain objects, arrays, strings, finite numbers, booleans and null',
  });
}
