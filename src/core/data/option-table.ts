import { HitlError, type HitlErrorCode } from './errors.js';
import { isJsonObject } from './json.js';
import { nearNames } from './near-names.js';
import { millisecondsOf } from './duration.js';

/** The description of an option, and the check of its value. */
export interface Option {
  /** Completes the sentence "… must be", for example `a string`. */
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
  readonly isRequired?: boolean;
  /** Its properties. */
  readonly members?: OptionRows;
  /** The current name of an option that was renamed. The old name is refused. */
  readonly isNow?: string;
}

/** An object's options, by name. */
export type OptionRows = Readonly<Record<string, Option>>;

/**
 * The options of a type. If an option is added to the type, the code does not compile until it is also added
 * here. At run time, JavaScript callers can pass only these options.
 */
export type OptionTable<Options> = { readonly [Name in keyof Required<Options>]: Option };

/**
 * Returns one line per problem with the options, or an empty list if there are none. `undefined` properties
 * are treated as absent. Builds text only if there is a problem, because a replay checks thousands of
 * operations.
 */
export function optionProblems(of: string, given: unknown, rows: OptionRows, at = ''): readonly string[] {
  if (!isJsonObject(given)) return [`${at === '' ? of : `\`${at}\` of ${of}`} must be an object`];
  const problems: string[] = [];
  const path = (name: string): string => `\`${at === '' ? name : `${at}.${name}`}\` of ${of}`;
  for (const name of Object.keys(rows)) {
    const option = rows[name];
    if (option?.isRequired === true && given[name] === undefined)
      problems.push(`${path(name)} is missing: it must be ${option.words}`);
  }
  for (const name of Object.keys(given)) {
    const value: unknown = given[name];
    if (value === undefined) continue;
    const option = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (option === undefined) problems.push(`unknown option ${path(name)}; ${namesIn(rows, name)}`);
    else if (option.isNow !== undefined)
      problems.push(`${path(name)} is now called \`${option.isNow}\`, and must be ${option.words}`);
    else if (!option.fits(value))
      problems.push(`${path(name)} must be ${option.words}, got ${shortly(value)}`);
    else if (option.members !== undefined && isJsonObject(value))
      problems.push(...optionProblems(of, value, option.members, at === '' ? name : `${at}.${name}`));
  }
  return problems;
}

function namesIn(rows: OptionRows, wrong: string): string {
  const names = Object.keys(rows).filter((name) => rows[name]?.isNow === undefined);
  const [near] = nearNames(wrong, names);
  return `${near === undefined ? '' : `did you mean \`${near}\`? `}there are: ${names.join(', ')}`;
}

/** Returns the error for invalid options, or `undefined` if they are valid. */
export function optionsError(
  of: string,
  given: unknown,
  rows: OptionRows,
  code: HitlErrorCode = 'BAD_CONFIG',
): HitlError | undefined {
  const problems = optionProblems(of, given, rows);
  return problems.length === 0
    ? undefined
    : new HitlError(code, problems.join('; '), { detail: { problems } });
}

/**
 * Checks options.
 * @throws HitlError that lists every problem, with `code` or else BAD_CONFIG.
 */
export function checkOptions(of: string, given: unknown, rows: OptionRows, code?: HitlErrorCode): void {
  const error = optionsError(of, given, rows, code);
  if (error !== undefined) throw error;
}

/** Describes a value in a few words. */
function shortly(value: unknown): string {
  if (typeof value === 'string') return `\`${value.slice(0, 40)}\``;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null)
    return `\`${String(value)}\``;
  return typeof value === 'function' ? 'a function' : Array.isArray(value) ? 'a list' : `an ${typeof value}`;
}

/** Accepts any value, which is checked elsewhere. */
export const ANYTHING: Option = { words: 'anything', fits: () => true };
export const TEXT: Option = { words: 'a string', fits: (value) => typeof value === 'string' };
export const FLAG: Option = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
export const LIST: Option = { words: 'a list', fits: Array.isArray };
export const FUNCTION: Option = { words: 'a function', fits: (value) => typeof value === 'function' };
/** Accepts any object, including class instances such as a model. */
export const OBJECT: Option = { words: 'an object', fits: isJsonObject };
export const SCHEMA: Option = {
  words: 'a schema, for example from zod',
  fits: (value) => (isJsonObject(value) || typeof value === 'function') && '~standard' in value,
};
/** Accepts a whole number above 0. */
export const COUNT: Option = {
  words: 'a whole number above 0',
  fits: (value) => Number.isInteger(value) && Number(value) > 0,
};
export const NUMBER: Option = {
  words: 'a number',
  fits: (value) => typeof value === 'number' && !Number.isNaN(value),
};
/** Accepts a fraction from 0 to 1. */
export const PART: Option = {
  words: 'a number from 0 to 1',
  fits: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};
export const DURATION: Option = {
  words: "a duration such as '90s', '1h30m' or '2d', or a number of milliseconds",
  fits: (value) => millisecondsOf(value) !== undefined,
};

/** Accepts one of the given values. */
export function oneOf(...values: readonly (string | boolean)[]): Option {
  return {
    words: inWords(values.map((value) => `\`${String(value)}\``)),
    fits: (value) => values.some((one) => one === value),
  };
}

/** Accepts a value that one of the options accepts. */
export function anyOf(...options: readonly Option[]): Option {
  return {
    words: inWords(options.map(({ words }) => words)),
    fits: (value) => options.some(({ fits }) => fits(value)),
  };
}

/** Accepts an object with the properties in a table. */
export function members(rows: OptionRows): Option {
  return { words: 'an object', fits: isJsonObject, members: rows };
}

/** A required option. */
export function required(option: Option): Option {
  return { ...option, isRequired: true };
}

/** Refuses a renamed option and reports its new name. */
export function renamed(isNow: string, { words }: Option): Option {
  return { words, fits: () => false, isNow };
}

function inWords(parts: readonly string[]): string {
  const [last = ''] = parts.slice(-1);
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} or ${last}`;
}
