import type { GraphState, JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonArray, isJsonObject, isUnsafeName, jsonEquals, valueAt } from '../../core/index.js';
import { kindOf } from './json-kind.js';

/** Values and characters that one evaluation may read: more than most states have. */
const MAX_WORK = 10_000_000;

/**
 * Remaining work of an evaluation, so that a condition over a large state fails instead of blocking the
 * program.
 */
export class WorkBudget {
  #left = MAX_WORK;

  /** @throws HitlError BAD_STATE if the work exceeds the budget. */
  spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw evaluationError(`looks at more than ${MAX_WORK} values and characters`);
  }
}

/** An error of an evaluation; `evaluateCondition` turns it into a result. */
export function evaluationError(problem: string): HitlError {
  return new HitlError('BAD_STATE', problem);
}

/** Whether a value is true: all but `false`, `null`, `0`, `''`, `[]` and `{}`, as in Python. */
export function isTruthy(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return sizeOf(value) > 0;
  return value !== null && value !== false && value !== 0 && value !== '';
}

/** The number of items of a list, or of properties of an object. */
export function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/**
 * Returns an object's property by string, or a list's item by integer; negative ones count from the end. Own
 * properties only; anything missing, or another kind of key, is `null` (C-4).
 */
export function readProperty(from: JsonValue, key: JsonValue): JsonValue {
  if (isJsonObject(from)) return typeof key === 'string' ? (readKey(from, key) ?? null) : null;
  if (typeof from !== 'object' || from === null || !isJsonArray(from)) return null;
  return typeof key === 'number' && Number.isInteger(key) ? (from.at(key) ?? null) : null;
}

/** Returns an own, readable property; `undefined` if there is none. */
export function readKey(from: GraphState | JsonObject, key: string): JsonValue | undefined {
  return isUnsafeName(key) ? undefined : valueAt(from, key);
}

/**
 * Returns a negative number if `left` comes first; strings are ordered by UTF-16 units.
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

/** Deep and strict equality (C-2). */
export function equalValues(left: JsonValue, right: JsonValue, budget: WorkBudget): boolean {
  return jsonEquals(left, right, () => {
    budget.spend(1);
  });
}

/**
 * Whether a list contains an equal item, a string contains the string, or an object has the key. `null`
 * contains nothing.
 * @throws HitlError BAD_STATE for other kinds.
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
