import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/core/index.js';
import { evaluateCondition } from '../../src/graph/expression/expression-eval.js';
import { parseCondition } from '../../src/graph/expression/expression-parse.js';
import type { ConditionResult } from '../../src/graph/expression/expression-types.js';
import { jsonValues } from '../helpers/arbitraries.js';

const META = { iteration: 4, node: 'review', visit: 2, path: ['draft', 'review', 'draft', 'review'] };

function ask(text: string, state: JsonObject = {}, conditions: JsonObject = {}): ConditionResult {
  return evaluateCondition(parseCondition(text), { state, conditions, meta: META });
}

/** What a condition gives where it must not be an error. */
function holds(text: string, state?: JsonObject, conditions?: JsonObject): boolean {
  const result = ask(text, state, conditions);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

const YES: ConditionResult = { ok: true, value: true };
const NO: ConditionResult = { ok: true, value: false };

describe('a condition', () => {
  test('case 5: takes a missing list as empty, without an error', () => {
    expect(ask('len(state.items) > 0')).toEqual(NO);
    expect(ask('len(null) == 0')).toEqual(YES);
  });

  test('case 6: compares with a negative number', () => {
    expect(ask('state.x > -1', { x: 0 })).toEqual(YES);
    expect(ask('state.x > -1', { x: -1 })).toEqual(NO);
  });

  test.for([
    'state.constructor',
    'state.__proto__',
    'state["__proto__"]',
    'state.prototype',
    'state.x.constructor',
    'state.list.length',
    'state.list["length"]',
    'state.text.length',
    'state.text[0]',
    'state.toString',
    'state.x["to" + "String"]',
    'meta["constructor"]',
    'get("__proto__", null)',
  ])('case 7: reads %s as null', (text) => {
    const state = JSON.parse('{"x": {}, "list": [1], "text": "abc", "__proto__": {"a": 1}}') as JsonObject;
    expect(ask(`${text} == null`, state)).toEqual(YES);
  });

  test('case 7: does not find what may not be read', () => {
    const state = JSON.parse('{"__proto__": 1, "constructor": 1}') as JsonObject;
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) {
      expect(ask(`has("${key}") or "${key}" in state`, state)).toEqual(NO);
    }
  });

  test('case 9: cannot order a number and a string, and says so', () => {
    expect(ask('state.a < "x"', { a: 1 })).toEqual({
      ok: false,
      error: 'condition `state.a < "x"`: cannot order a number and a string',
    });
  });

  test.for([
    ['conditions.fast', YES],
    ['conditions.slow', NO],
    ['data.text == state.text', YES],
    ['meta.visit == 2 and meta.iteration == 4 and meta.node == "review"', YES],
    ['"draft" in meta.path and len(meta.path) == 4', YES],
    ['meta.lastStatus == null', YES],
    ['state.items[0] == 1 and state.items[-1] == 3 and state.items[9] == null', YES],
    ['state.items[0.5] == null and state.items["0"] == null', YES],
    ['state["items"][1 + 1] == 3', YES],
    ['state.nothing.at[0].all == null', YES],
    ['state.text == \'abc\' and state.text == "abc"', YES],
    ['"it\\u0027s" == "it\'s" and "\\n" != "n"', YES],
    ['2 in state.items and 5 not in state.items', YES],
    ['"b" in state.text and "x" not in state.text', YES],
    ['"deep" in state and "deeper" not in state', YES],
    ['1 in state.missing or "x" in state.missing', NO],
    ['state.deep == state.copy', YES],
    ['[1, [2, "x"]] == [1, [2, "x"]] and [1] != [1, 2] and [] != null', YES],
    ['1 == "1" or 0 == false or null == false or "" == null', NO],
    ['[1] in [[1], [2]]', YES],
    ['1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 7 % 4 == 3 and 1 / 4 == 0.25', YES],
    ['8 - 4 - 2 == 2 and 8 / 4 / 2 == 1', YES],
    ['"a" + "b" == "ab"', YES],
    ['-0 == 0', YES],
    ['not state.empty and not 0 and not "" and not [] and not null', YES],
    ['not 1 == 2', YES],
    ['(not 1) == 2', NO],
    ['1 == not 0', NO],
    ['true == not 0', YES],
    ['(state.count or 0) > 3', NO],
    ['(state.items and "full") == "full"', YES],
    ['has("text") and not has("missing") and has("nil")', YES],
    ['get("missing", 7) == 7 and get("text", 7) == "abc" and get("nil", 7) == null', YES],
    ['min(3, 1, 2) == 1 and max(state.items) == 3 and min("b", "a") == "a"', YES],
    ['abs(-2) == 2', YES],
    ['str(12) == "12" and str(true) == "true" and str(null) == "null" and str("x") == "x"', YES],
    ['num("12.50") == 12.5 and num(" -3 ") == -3 and num(true) == 1 and num("1e3") == 1000', YES],
    ['bool(state.items) and not bool(state.empty)', YES],
    ['lower("ABC") == "abc" and lower(state.missing) == null', YES],
    ['startsWith("abc", "ab") and endsWith("abc", "bc") and not startsWith(null, "a")', YES],
    ['contains("abc", "b") and contains([1, 2], 2) and contains(state, "deep")', YES],
    ['contains(state.missing, "x") or endsWith(state.missing, "x")', NO],
    ['len("😀é") == 2 and len(state.deep) == 2 and len(state.items) == 3', YES],
    ['false and state.a < "x"', NO],
    ['true or 1 < "x"', YES],
    ['data.in.not == 1', YES],
    ['state.été == 1', YES],
  ] as const)('%s', ([text, expected]) => {
    const state = {
      text: 'abc',
      items: [1, 2, 3],
      empty: {},
      nil: null,
      deep: { a: [1, { b: null }], c: false },
      copy: { c: false, a: [1, { b: null }] },
      in: { not: 1 },
      été: 1,
    };
    expect(ask(text, state, { fast: true, slow: false })).toEqual(expected);
  });

  test.for([
    ['null > 1', 'cannot order `null` and a number'],
    ['true < false', 'cannot order a boolean and a boolean'],
    ['1 + "a"', 'cannot calculate a number + a string'],
    ['[1] + [2]', 'cannot calculate a list + a list'],
    ['-"a"', 'cannot negate a string'],
    ['1 / 0', '1 / 0 is not a finite number'],
    ['0 % 0', '0 % 0 is not a finite number'],
    ['1 in 2', 'cannot look for a number in a number'],
    ['1 in "a1"', 'cannot look for a number in a string'],
    ['1 in state', 'cannot look for a number in an object'],
    ['len(1)', '`len` cannot take a number'],
    ['max([])', '`max` was called with an empty list'],
    ['max(state)', '`max` cannot take an object'],
    ['max(null)', 'cannot order `null` and `null`'],
    ['abs("x")', '`abs` cannot take a string'],
    ['str([])', '`str` cannot take a list'],
    ['num("0x10")', '`num` cannot parse the string as a decimal number'],
    ['num("")', '`num` cannot parse the string as a decimal number'],
    ['num(null)', '`num` cannot take `null`'],
    ['has(1)', '`has` cannot take a number'],
    ['startsWith("a", 1)', '`startsWith` cannot take a number'],
  ] as const)('C-6: %s is an error and not a no: %s', ([text, error]) => {
    expect(ask(text)).toEqual({ ok: false, error: `condition \`${text}\`: ${error}` });
  });

  test('gives up on more work than its budget', () => {
    const list = Array.from({ length: 400_000 }, (_, index) => index);
    const text = Array(30).fill('-1 in state.list').join(' or ');
    expect(ask(text, { list })).toEqual({
      ok: false,
      error: expect.stringContaining('reads more than 10000000 values and characters combined'),
    });
    expect(holds('-1 in state.list or 399999 in state.list', { list })).toBe(true);
  });

  test('compares values of any depth', () => {
    const deep = (): JsonObject => JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as JsonObject;
    expect(ask('state.x == state.y', { x: deep(), y: deep() })).toEqual(YES);
  });

  test('never reads, runs or changes a prototype, and throws nothing', () => {
    const keys = fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'valueOf',
      'a',
      'length',
    );
    const reads = fc
      .array(
        fc.oneof(
          keys.map((key) => `.${key}`),
          keys.map((key) => `["${key}"]`),
          fc.constant('[0]'),
        ),
        {
          maxLength: 5,
        },
      )
      .map((steps) => `state${steps.join('')}`);
    const operators = fc.constantFrom('==', '<', 'in', '+', 'and', 'or', '%', 'not in');
    const calls = fc.constantFrom('len', 'has', 'min', 'max', 'abs', 'str', 'num', 'bool', 'lower');
    const texts = fc
      .tuple(reads, operators, reads, calls)
      .map(([left, operator, right, call]) => `${call}(${left}) ${operator} ${right}`);
    const before = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(texts, jsonValues(), jsonValues(), (text, a, constructor) => {
        const state = Object.freeze({ a, constructor });
        const result = ask(text, state);
        expect(typeof (result.ok ? result.value : result.error)).toBe(result.ok ? 'boolean' : 'string');
        expect(state).toEqual({ a, constructor });
      }),
      { numRuns: 500 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  test('equality agrees with the text of the values', () => {
    fc.assert(
      fc.property(jsonValues(), jsonValues(), (x, y) => {
        expect(
          holds('state.x == state.x2 and state.y == state.y', { x, x2: JSON.parse(JSON.stringify(x)), y }),
        ).toBe(true);
        expect(holds('state.x == state.y', { x, y })).toBe(holds('state.y == state.x', { x, y }));
      }),
    );
  });
});
