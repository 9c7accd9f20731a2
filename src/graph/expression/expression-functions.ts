import type { JsonValue } from '../../core/index.js';
import { assertNever, isJsonArray } from '../../core/index.js';
import type { ConditionScope, FunctionName } from './expression-types.js';
import type { WorkBudget } from './expression-value.js';
import { compareValues, evaluationError, isIn, isTruthy, readKey, sizeOf } from './expression-value.js';
import { kindOf } from './json-kind.js';

const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/u;

/** The values that a condition can read, and the remaining work budget. */
export interface Evaluation {
  readonly scope: ConditionScope;
  readonly budget: WorkBudget;
}

/**
 * Calls a built-in function (C-3); the parser has already checked the number of arguments. `len` of a string
 * is its number of characters. `null`, which is also the value of a missing property, is treated as empty by
 * `len`, `contains`, `startsWith` and `endsWith`, and `lower(null)` is `null`. `has` and `get` look up a
 * state key; a key whose value is `null` exists. `min` and `max` accept numbers or strings, or one list of
 * them. `str` accepts anything except lists and objects; `num` accepts a number, a boolean or a decimal
 * string.
 * @throws HitlError BAD_STATE for any other kind of argument.
 */
export function callFunction(
  name: FunctionName,
  given: readonly JsonValue[],
  { scope: { state }, budget }: Evaluation,
): JsonValue {
  const [first = null, second = null] = given;
  switch (name) {
    case 'len':
      return lengthOf(first, budget);
    case 'has':
      return readKey(state, textOf(name, first)) !== undefined;
    case 'get': {
      const found = readKey(state, textOf(name, first));
      return found === undefined ? second : found;
    }
    case 'min':
    case 'max':
      return extreme(name, given, budget);
    case 'abs':
      return typeof first === 'number' ? Math.abs(first) : refuse(name, first);
    case 'str':
      return typeof first === 'object' && first !== null ? refuse(name, first) : String(first);
    case 'num':
      return numberOf(first, budget);
    case 'bool':
      return isTruthy(first);
    case 'lower':
      return first === null ? null : lowerCase(textOf(name, first), budget);
    case 'startsWith':
      return first !== null && textOf(name, first).startsWith(textOf(name, second));
    case 'endsWith':
      return first !== null && textOf(name, first).endsWith(textOf(name, second));
    case 'contains':
      return isIn(second, first, budget);
    default:
      return assertNever(name);
  }
}

function refuse(name: FunctionName, value: JsonValue): never {
  throw evaluationError(`\`${name}\` cannot take ${kindOf(value)}`);
}

function textOf(name: FunctionName, value: JsonValue): string {
  return typeof value === 'string' ? value : refuse(name, value);
}

function lowerCase(text: string, budget: WorkBudget): string {
  budget.spend(text.length);
  return text.toLowerCase();
}

function lengthOf(value: JsonValue, budget: WorkBudget): number {
  if (value === null) return 0;
  if (typeof value === 'object') return sizeOf(value);
  if (typeof value !== 'string') return refuse('len', value);
  budget.spend(value.length);
  let length = 0;
  for (const _character of value) length += 1;
  return length;
}

function numberOf(value: JsonValue, budget: WorkBudget): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return refuse('num', value);
  budget.spend(value.length);
  const number = DECIMAL.test(value) ? Number(value) : NaN;
  if (!Number.isFinite(number)) throw evaluationError('`num` cannot parse the string as a decimal number');
  return number;
}

function extreme(name: 'min' | 'max', given: readonly JsonValue[], budget: WorkBudget): JsonValue {
  const [only] = given;
  const isList = given.length === 1 && only !== undefined && typeof only === 'object' && only !== null;
  const values = isList ? (isJsonArray(only) ? only : refuse(name, only)) : given;
  const [first, ...rest] = values;
  if (first === undefined) throw evaluationError(`\`${name}\` was called with an empty list`);
  budget.spend(values.length);
  // Compared with itself, for the kind of a single value must be right too.
  compareValues(first, first, budget);
  return rest.reduce((best, value) => {
    const order = compareValues(value, best, budget);
    return (name === 'min' ? order < 0 : order > 0) ? value : best;
  }, first);
}
