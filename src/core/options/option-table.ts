import { HitlError, type HitlErrorCode } from '../errors.js';
import { isJsonObject } from '../json/index.js';
import { nearNames } from '../text/index.js';

/** What a member of an object of options may be. */
export interface Option {
  /** Ends the sentence "… must be": `a text`. */
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
  /** True for a member that must be there. */
  readonly isRequired?: boolean;
  /** The members of it. */
  readonly members?: OptionRows;
  /** The name that it has now: under the old one it is refused. */
  readonly isNow?: string;
}

/** What each member of an object of options may be, by its name. */
export type OptionRows = Readonly<Record<string, Option>>;

/**
 * The options of one type, each with what it may be: one that is added to the type does not compile before it has a row.
 * From JavaScript, which no compiler looks at, only what stands here is taken.
 */
export type OptionTable<Options> = { readonly [Name in keyof Required<Options>]: Option };

/** Says what is wrong with options, a line each; empty where nothing is. Members that are `undefined` are not there. */
export function optionProblems(of: string, given: unknown, rows: OptionRows, at = ''): readonly string[] {
  if (!isJsonObject(given)) return [`${at === '' ? of : `\`${at}\` of ${of}`} must be an object`];
  const path = (name: string): string => `\`${at === '' ? name : `${at}.${name}`}\` of ${of}`;
  const missing = Object.entries(rows).flatMap(([name, { isRequired = false, words }]) =>
    isRequired && given[name] === undefined ? [`${path(name)} is missing: it must be ${words}`] : [],
  );
  const wrong = Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    const option = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (option === undefined) return [`there is no option ${path(name)}; ${namesIn(rows, name)}`];
    const { isNow, words, fits, members } = option;
    if (isNow !== undefined) return [`${path(name)} is called \`${isNow}\` now, and is ${words}`];
    if (!fits(value)) return [`${path(name)} must be ${words}, got ${shortly(value)}`];
    return members === undefined || !isJsonObject(value)
      ? []
      : optionProblems(of, value, members, at === '' ? name : `${at}.${name}`);
  });
  return [...missing, ...wrong];
}

function namesIn(rows: OptionRows, wrong: string): string {
  const names = Object.keys(rows).filter((name) => rows[name]?.isNow === undefined);
  const [near] = nearNames(wrong, names);
  return `${near === undefined ? '' : `did you mean \`${near}\`? `}there are: ${names.join(', ')}`;
}

/** The error of options that do not fit; `undefined` where they do. */
export function optionsError(
  of: string,
  given: unknown,
  rows: OptionRows,
  code: HitlErrorCode = 'BAD_CONFIG',
): HitlError | undefined {
  if (doFit(given, rows)) return undefined; // code that runs again says the same of thousands of operations
  const problems = optionProblems(of, given, rows);
  return new HitlError(code, problems.join('; '), { detail: { problems } });
}

/** True where `optionProblems` finds nothing. */
function doFit(given: unknown, rows: OptionRows): boolean {
  if (!isJsonObject(given)) return false;
  for (const name in rows) if (rows[name]?.isRequired === true && given[name] === undefined) return false;
  for (const name of Object.keys(given)) {
    const value: unknown = given[name];
    if (value === undefined) continue;
    const option = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (option === undefined || option.isNow !== undefined || !option.fits(value)) return false;
    if (option.members !== undefined && isJsonObject(value) && !doFit(value, option.members)) return false;
  }
  return true;
}

/** @throws HitlError BAD_CONFIG, or of that code, for options that do not fit, with every problem that was found. */
export function checkOptions(of: string, given: unknown, rows: OptionRows, code?: HitlErrorCode): void {
  const error = optionsError(of, given, rows, code);
  if (error !== undefined) throw error;
}

/** What was given, in a few words. */
function shortly(value: unknown): string {
  if (typeof value === 'string') return `\`${value.slice(0, 40)}\``;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null)
    return `\`${String(value)}\``;
  return typeof value === 'function' ? 'a function' : Array.isArray(value) ? 'a list' : `an ${typeof value}`;
}
