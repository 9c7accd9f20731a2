import type { JsonValue } from '../../core/index.js';
import { assertNever, GraphState, isHitlError } from '../../core/index.js';
import type { Evaluation } from './expression-functions.js';
import { callFunction } from './expression-functions.js';
import type {
  BinaryOperator,
  Condition,
  ConditionResult,
  ConditionScope,
  Expression,
  RootName,
} from './expression-types.js';
import { META_KEYS } from './expression-types.js';
import {
  compareValues,
  equalValues,
  evaluationError,
  isIn,
  isTruthy,
  readKey,
  readProperty,
  WorkBudget,
} from './expression-value.js';
import { kindOf } from './json-kind.js';

/**
 * Evaluates a condition. Never throws because of the state's content, and never runs code from the state. A
 * non-boolean result is false if it is `null`, `0`, `''`, `[]` or `{}`, and true otherwise. `and` and `or`
 * return the operand that decides the result and may skip the other one, so `state.n or 0` provides a
 * default. A missing property is `null` (C-4). It is an error to compare, add or call with the wrong kinds of
 * values (C-2), or to read more than 10,000,000 values and characters.
 */
export function evaluateCondition(condition: Condition, scope: ConditionScope): ConditionResult {
  const result = evaluateExpression(condition, scope);
  return result.ok ? { ok: true, value: isTruthy(result.value) } : result;
}

/** Like `evaluateCondition`, but returns the value itself, which may share objects with the state. */
export function evaluateExpression(
  expression: Condition,
  scope: ConditionScope,
): { readonly ok: true; readonly value: JsonValue } | Extract<ConditionResult, { ok: false }> {
  try {
    return { ok: true, value: evaluate(expression.root, { scope, budget: new WorkBudget() }) };
  } catch (thrown) {
    if (isHitlError(thrown))
      return { ok: false, error: `condition \`${expression.text}\`: ${thrown.message}` };
    throw thrown;
  }
}

/** Evaluates an expression recursively; the parser's node limit bounds the depth. */
function evaluate(expression: Expression, evaluation: Evaluation): JsonValue {
  switch (expression.type) {
    case 'literal':
      return expression.value;
    case 'list':
      return expression.items.map((item) => evaluate(item, evaluation));
    case 'root':
      return rootValue(expression.name, evaluation.scope);
    case 'read':
      return readFrom(expression.from, evaluate(expression.key, evaluation), evaluation);
    case 'call': {
      const given = expression.arguments.map((argument) => evaluate(argument, evaluation));
      return callFunction(expression.name, given, evaluation);
    }
    case 'not':
      return !isTruthy(evaluate(expression.operand, evaluation));
    case 'minus':
      return negative(evaluate(expression.operand, evaluation));
    case 'and': {
      const left = evaluate(expression.left, evaluation);
      return isTruthy(left) ? evaluate(expression.right, evaluation) : left;
    }
    case 'or': {
      const left = evaluate(expression.left, evaluation);
      return isTruthy(left) ? left : evaluate(expression.right, evaluation);
    }
    case 'binary': {
      const left = evaluate(expression.left, evaluation);
      return binary(expression.operator, [left, evaluate(expression.right, evaluation)], evaluation.budget);
    }
    default:
      return assertNever(expression);
  }
}

/** Reads a key. Does not build the whole state to read one of its keys. */
function readFrom(from: Expression, key: JsonValue, evaluation: Evaluation): JsonValue {
  if (from.type !== 'root' || from.name !== 'state') return readProperty(evaluate(from, evaluation), key);
  return typeof key === 'string' ? (readKey(evaluation.scope.state, key) ?? null) : null;
}

function rootValue(name: RootName, { state, conditions, meta }: ConditionScope): JsonValue {
  switch (name) {
    case 'state':
      return state instanceof GraphState ? state.plain : state;
    case 'conditions':
      return conditions;
    case 'meta':
      return metaValue(meta);
    default:
      return assertNever(name);
  }
}

function metaValue(meta: ConditionScope['meta']): JsonValue {
  return Object.fromEntries(META_KEYS.map((key) => [key, meta[key] ?? null]));
}

function negative(value: JsonValue): number {
  if (typeof value !== 'number') throw evaluationError(`cannot negate ${kindOf(value)}`);
  return -value;
}

function binary(
  operator: BinaryOperator,
  [left, right]: readonly [JsonValue, JsonValue],
  budget: WorkBudget,
): JsonValue {
  switch (operator) {
    case '==':
      return equalValues(left, right, budget);
    case '!=':
      return !equalValues(left, right, budget);
    case '<':
      return compareValues(left, right, budget) < 0;
    case '<=':
      return compareValues(left, right, budget) <= 0;
    case '>':
      return compareValues(left, right, budget) > 0;
    case '>=':
      return compareValues(left, right, budget) >= 0;
    case 'in':
      return isIn(left, right, budget);
    case 'not in':
      return !isIn(left, right, budget);
    case '+':
      if (typeof left === 'string' && typeof right === 'string') return joined(left, right, budget);
      return arithmetic(operator, left, right);
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, left, right);
    default:
      return assertNever(operator);
  }
}

function joined(left: string, right: string, budget: WorkBudget): string {
  budget.spend(left.length + right.length);
  return left + right;
}

const ARITHMETIC = {
  '+': (left: number, right: number) => left + right,
  '-': (left: number, right: number) => left - right,
  '*': (left: number, right: number) => left * right,
  '/': (left: number, right: number) => left / right,
  '%': (left: number, right: number) => left % right,
};

function arithmetic(operator: keyof typeof ARITHMETIC, left: JsonValue, right: JsonValue): number {
  if (typeof left !== 'number' || typeof right !== 'number') {
    throw evaluationError(`cannot calculate ${kindOf(left)} ${operator} ${kindOf(right)}`);
  }
  const result = ARITHMETIC[operator](left, right);
  if (Number.isFinite(result)) return result;
  throw evaluationError(`${left} ${operator} ${right} is not a finite number`);
}
