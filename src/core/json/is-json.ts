import type { JsonValue } from './json.js';

/** Deeper than any value that somebody meant; what is deeper cannot be written either. */
const MOST_LEVELS = 1_000;

/** The treatment of members that are `undefined`: `refused`, or `absent`, as `JSON.stringify` has it. */
export type UndefinedMembers = 'refused' | 'absent';

/**
 * True for what JSON can say: no functions, no big integers, no numbers without an end, no cycles, and no objects of a
 * class, such as dates, of which JSON would make something else.
 */
export function isJson(value: unknown, undefinedMembers: UndefinedMembers = 'refused'): value is JsonValue {
  return isJsonWithin([], value, undefinedMembers);
}

/** `around` are the objects around the value that is looked at, from the outside in. */
function isJsonWithin(around: object[], value: unknown, undefinedMembers: UndefinedMembers): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || isJsonContainer(around, value, undefinedMembers);
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return false;
  }
}

function isJsonContainer(around: object[], value: object, undefinedMembers: UndefinedMembers): boolean {
  if (around.length >= MOST_LEVELS || around.includes(value)) return false;
  const isFit = (member: unknown): boolean => isJsonWithin(around, member, undefinedMembers);
  around.push(value);
  const fits = Array.isArray(value)
    ? Array.from(value).every(isFit) // a hole in a list is no value
    : isPlain(value) &&
      Object.values(value).every(
        (member) => (member === undefined && undefinedMembers === 'absent') || isFit(member),
      );
  around.pop();
  return fits;
}

/** Made by `{}`, by JSON or without a prototype; objects of another realm count too. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
