import type { GraphState, JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonArray, isJsonObject, isUnsafeName, jsonEquals, valueAt } from '../../core/index.js';
import { kindOf } from './json-kind.js';

/** Maximum number of values and characters that one evaluation may read. Most states contain fewer. */
const MAX_WORK = 10_000_000;

/**
 * The remaining work budget of an evaluation. It makes a condition over a large state fail instead of
 * blocking the program.
 */
export class WorkBudget {
  #left = MAX_WORK;

  /**
   * Deducts work from the budget.
   * @throws HitlError BAD_STATE if the work exceeds the budget.
   */
  spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw evaluationError(`reads more than ${MAX_WORK} values and characters combined`);
  }
}

/** Creates an evaluation error; `evaluateCondition` turns it into a result. */
export function evaluationError(problem: string): HitlError {
  return new HitlError('BAD_STATE', problem);
}

/**
 * Whether a value is treated as true. Every value is, except `false`, `null`, `0`, `''`, `[]` and `{}`, as in
 * Python.
 */
export function isTruthy(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return sizeOf(value) > 0;
  return value !== null && value !== false && value !== 0 && value !== '';
}

/** Returns the number of items in a list, or of properties in an object. */
export function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/**
 * Returns an object's property for a string key, or a list's item for an integer; negative integers count
 * from the end. Reads own properties only. Returns `null` for a missing value or any other kind of key (C-4).
 */
export function readProperty(from: JsonValue, key: JsonValue): JsonValue {
  if (isJsonObject(from)) return typeof key === 'string' ? (readKey(from, key) ?? null) : null;
  if (typeof from !== 'object' || from === null || !isJsonArray(from)) return null;
  return typeof key === 'number' && Number.isInteger(key) ? (from.at(key) ?? null) : null;
}

/** Returns an own property that conditions may read; `undefined` if it does not exist. */
export function readKey(from: GraphState | JsonObject, key: string): JsonValue | undefined {
  return isUnsafeName(key) ? undefined : valueAt(from, key);
}

/**
 * Returns a negative number if `left` sorts first. Strings are ordered by UTF-16 units.
 * @throws HitlError BAD_STATE unless both are numbers or both are strings (C-2).
 */
export function compareValues(left: JsonValue, right: JsonValue, budget: WorkBudget): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') {
    budget.spend(Math.min(left.length, right.length));
    return left === right ? 0 : left < right ? -1 : 1;
  }
  throw evaluationError(`cannot order ${kindOf(left)} and ${kindOf(right)}`);
}

/** Whether two values are deeply and strictly equal (C-2). */
export function equalValues(left: JsonValue, right: JsonValue, budget: WorkBudget): boolean {
  return jsonEquals(left, right, () => {
    budget.spend(1);
  });
}

/**
 * Whether a list contains an equal item, a string contains the string, or an object has the key. `null` never
 * contains anything.
 * @throws HitlError BAD_STATE for other kinds of values.
 */
export function isIn(value: JsonValue, container: JsonValue, budget: WorkBudget): boolean {
  if (container === null) return false;
  if (typeof container === 'string' && typeof value === 'string') {
    budget.spend(container.length);
    return container.includes(value);
  }
  if (typeof container === 'object') {
    if (isJsonArray(container)) return container.some((item) => equalValues(item, value, budget));
    if (typeof value === 'string') return readKey(container, value) !== undefined;
  }
  throw evaluationError(`cannot look for ${kindOf(value)} in ${kindOf(container)}`);
}
