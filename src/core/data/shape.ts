import { isName } from './ids.js';
import { isJson, isJsonArray, isJsonObject } from './json.js';

/** Checks the value at a path. Returns a one-line problem, or `undefined` if the value is valid. */
export type Shape = (value: unknown, place: string) => string | undefined;

/** Creates a check from a predicate; `words` describes a valid value. */
function must(words: string, fits: (value: unknown) => boolean): Shape {
  return (value, place) => (fits(value) ? undefined : `\`${place}\` must be ${words}`);
}

/** A text. */
export const text = must('a string', (value) => typeof value === 'string');

/** A string that is valid as a name inside a session. */
export const name = must('a name', (value) => typeof value === 'string' && isName(value));

/** True or false. */
export const flag = must('true or false', (value) => typeof value === 'boolean');

/** Any JSON value. `undefined` properties are treated as absent. */
export const json = must('a JSON value', (value) => isJson(value, 'absent'));

/** A JSON object. */
export const jsonObject = must(
  'an object of JSON values',
  (value) => isJson(value, 'absent') && isJsonObject(value) && !isJsonArray(value),
);

/** A finite number above 0. */
export const positive = must(
  'a number above 0',
  (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
);

/** A whole number greater than or equal to `least`. */
export function wholeNumber(least = Number.MIN_SAFE_INTEGER): Shape {
  const words = `a whole number${least === Number.MIN_SAFE_INTEGER ? '' : `, ${least} or above`}`;
  return must(words, (value) => Number.isSafeInteger(value) && Number(value) >= least);
}

/** One of these strings. */
export function oneOf(choices: readonly string[]): Shape {
  return must(
    `one of ${choices.join(', ')}`,
    (value) => typeof value === 'string' && choices.includes(value),
  );
}

/** Allows a value to be missing or `undefined`. */
export function optional(shape: Shape): Shape {
  return (value, place) => (value === undefined ? undefined : shape(value, place));
}

/** A list whose items all have one shape; `words` describes the items in messages. */
export function listOf(shape: Shape, words: string): Shape {
  return (value, place) => {
    if (!Array.isArray(value)) return `\`${place}\` must be a list of ${words}`;
    for (let index = 0; index < value.length; index += 1) {
      const problem = shape(value[index], `${place}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** Returns the first problem with the listed properties of an object. Ignores all other properties. */
export function membersProblem(
  value: object,
  members: Readonly<Record<string, Shape>>,
  place = '',
): string | undefined {
  const given = new Map<string, unknown>(Object.entries(value));
  for (const [name, shape] of Object.entries(members)) {
    const problem = shape(given.get(name), place === '' ? name : `${place}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** An object with these properties. */
export function within(members: Readonly<Record<string, Shape>>): Shape {
  return (value, place) =>
    isJsonObject(value) ? membersProblem(value, members, place) : `\`${place}\` must be an object`;
}

/** Formats the keys and indices that lead to a value: `nodes.review.tools[0]`. */
export function placeText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('');
}

/**
 * Formats a schema issue as one line with the path of the value: `amount: expected number, received string`.
 */
export function issueText({
  path,
  message,
}: {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}): string {
  const what = message.replace(/^Invalid input: /, '');
  const place = placeText(path);
  return place === '' ? what : `${place}: ${what}`;
}
