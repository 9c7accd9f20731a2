import { isJsonObject } from '../json/index.js';
import { millisecondsOf } from '../text/index.js';
import type { Option, OptionRows } from './option-table.js';

/** Anything: others look at it. */
export const ANYTHING: Option = { words: 'anything', fits: () => true };
export const TEXT: Option = { words: 'a text', fits: (value) => typeof value === 'string' };
export const FLAG: Option = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
export const LIST: Option = { words: 'a list', fits: Array.isArray };
export const FUNCTION: Option = { words: 'a function', fits: (value) => typeof value === 'function' };
/** Also what a class makes, such as a model. */
export const OBJECT: Option = { words: 'an object', fits: isJsonObject };
export const SCHEMA: Option = {
  words: 'a schema such as one of zod',
  fits: (value) => (isJsonObject(value) || typeof value === 'function') && '~standard' in value,
};
/** A whole number above 0. */
export const COUNT: Option = {
  words: 'a whole number above 0',
  fits: (value) => Number.isInteger(value) && Number(value) > 0,
};
export const NUMBER: Option = {
  words: 'a number',
  fits: (value) => typeof value === 'number' && !Number.isNaN(value),
};
/** A part of a whole. */
export const PART: Option = {
  words: 'a number from 0 to 1',
  fits: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};
export const DURATION: Option = {
  words: "a duration such as '90s', '1h30m' or '2d', or a number of milliseconds",
  fits: (value) => millisecondsOf(value) !== undefined,
};

/** One of some words. */
export function oneOf(...values: readonly (string | boolean)[]): Option {
  return {
    words: inWords(values.map((value) => `\`${String(value)}\``)),
    fits: (value) => values.some((one) => one === value),
  };
}

/** What one of them takes. */
export function anyOf(...options: readonly Option[]): Option {
  return {
    words: inWords(options.map(({ words }) => words)),
    fits: (value) => options.some(({ fits }) => fits(value)),
  };
}

/** An object whose members stand in a table. */
export function members(rows: OptionRows): Option {
  return { words: 'an object', fits: isJsonObject, members: rows };
}

/** An option that must be there. */
export function required(option: Option): Option {
  return { ...option, isRequired: true };
}

/** The name that an option had before: it is refused with the one that it has now. */
export function renamed(isNow: string, { words }: Option): Option {
  return { words, fits: () => false, isNow };
}

function inWords(parts: readonly string[]): string {
  const [last = ''] = parts.slice(-1);
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} or ${last}`;
}
