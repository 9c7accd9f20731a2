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
  return new Look(undefinedMembers).isJson(value);
}

class Look {
  readonly #undefinedMembers: UndefinedMembers;
  /** The objects around the value that is looked at, from the outside in. */
  readonly #around: object[] = [];

  constructor(undefinedMembers: UndefinedMembers) {
    this.#undefinedMembers = undefinedMembers;
  }

  isJson(value: unknown): boolean {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return true;
      case 'number':
        return Number.isFinite(value);
      case 'object':
        return value === null || this.#isJsonObject(value);
      case 'undefined':
      case 'bigint':
      case 'symbol':
      case 'function':
        return false;
    }
  }

  #isJsonObject(value: object): boolean {
    const around = this.#around;
    if (around.length >= MOST_LEVELS || around.includes(value)) return false;
    around.push(value);
    const fits = Array.isArray(value) ? this.#areJson(value) : isPlain(value) && this.#isJsonMembers(value);
    around.pop();
    return fits;
  }

  /** A hole in a list is no value. */
  #areJson(items: Iterable<unknown>): boolean {
    for (const item of items) if (!this.isJson(item)) return false;
    return true;
  }

  #isJsonMembers(value: object): boolean {
    const members: readonly unknown[] = Object.values(value);
    return members.every(
      (member) => (member === undefined && this.#undefinedMembers === 'absent') || this.isJson(member),
    );
  }
}

/** Made by `{}`, by JSON or without a prototype; objects of another realm count too. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
