import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../src/core/index.js';
import type { Reducer } from '../../src/graph/state/reducers.js';
import { reducerOf, reduceWrite } from '../../src/graph/state/reducers.js';
import { jsonValues } from '../helpers/arbitraries.js';

const BY = { node: 'n' };

function reduce(reducer: Reducer, old: JsonValue | undefined, value: JsonValue): JsonValue {
  return reduceWrite(reducer, old, { key: 'k', value, by: BY });
}

describe('a reducer', () => {
  test.for<[Reducer & string, JsonValue | undefined, JsonValue, JsonValue]>([
    ['overwrite', undefined, 1, 1],
    ['overwrite', [1], null, null],
    ['append', undefined, 1, [1]],
    ['append', undefined, [], []],
    ['append', [1], [2, 3], [1, 2, 3]],
    ['append', [1], [[2]], [1, [2]]],
    ['append', [], '', ['']],
    ['append', [1], null, [1, null]],
    ['append', [1], { a: 1 }, [1, { a: 1 }]],
    ['sum', undefined, 2, 2],
    ['sum', undefined, 'a', 'a'],
    ['sum', 0, -1, -1],
    ['sum', '', 'a', 'a'],
    ['sum', 'a', 'b', 'ab'],
    ['merge', undefined, { a: 1 }, { a: 1 }],
    ['merge', undefined, {}, {}],
    ['merge', { a: { x: 1 }, b: 2 }, { a: { y: 2 } }, { a: { y: 2 }, b: 2 }],
  ])('C-21: %s of %j and %j is %j', ([reducer, old, value, result]) => {
    expect(reduce(reducer, old, value)).toEqual(result);
  });

  test.for<[Reducer & string, JsonValue | undefined, JsonValue, string]>([
    ['append', 'a', 'b', '`k` holds a string and cannot append a string, written by node `n`'],
    ['append', null, 1, '`k` holds `null` and cannot append a number, written by node `n`'],
    ['append', {}, [], '`k` holds an object and cannot append a list, written by node `n`'],
    ['sum', 1, 'a', '`k` holds a number and cannot sum a string, written by node `n`'],
    ['sum', 'a', 1, '`k` holds a string and cannot sum a number, written by node `n`'],
    ['sum', undefined, [1], '`k` is absent and cannot sum a list, written by node `n`'],
    ['sum', null, 1, '`k` holds `null` and cannot sum a number, written by node `n`'],
    ['sum', 1, true, '`k` holds a number and cannot sum a boolean, written by node `n`'],
    ['sum', 1e308, 1e308, 'the sum of `k`, written by node `n`, is too large'],
    ['merge', {}, [], '`k` holds an object and cannot merge a list, written by node `n`'],
    ['merge', [], {}, '`k` holds a list and cannot merge an object, written by node `n`'],
    ['merge', undefined, null, '`k` is absent and cannot merge `null`, written by node `n`'],
  ])('C-21: %s of %j and %j is refused', ([reducer, old, value, message]) => {
    expect(() => reduce(reducer, old, value)).toThrow(
      expect.objectContaining({ code: 'BAD_STATE', message }),
    );
  });

  test('of your own sees absence, the value and who writes', () => {
    const seen: unknown[] = [];
    const record: Reducer = (...given) => {
      seen.push(given);
      return seen.length;
    };
    expect(reduceWrite(record, undefined, { key: 'k', value: 0, by: { node: 'a' } })).toBe(1);
    expect(reduceWrite(record, 1, { key: 'k', value: null, by: { node: 'b', branch: 'left' } })).toBe(2);
    expect(seen).toEqual([
      [undefined, 0, { node: 'a' }],
      [1, null, { node: 'b', branch: 'left' }],
    ]);
  });

  test('of your own that throws is named with its key', () => {
    const cause = new Error('no such luck');
    const fails: Reducer = () => {
      throw cause;
    };
    expect(() => reduce(fails, 1, 2)).toThrow(
      expect.objectContaining({
        code: 'BAD_STATE',
        message: 'the reducer for `k`, written by node `n`, failed: no such luck',
        cause,
      }),
    );
  });

  test.for([undefined, new Date(0), NaN, () => 1])('of your own must not return %s', (result) => {
    const returns = (() => result) as unknown as Reducer;
    expect(() => reduce(returns, 1, 2)).toThrow(expect.objectContaining({ code: 'BAD_STATE' }));
  });

  test('of your own keeps no hand on what it returned', () => {
    const kept = { list: [1] };
    const result = reduce(() => kept, undefined, 1);
    kept.list.push(2);
    expect(result).toEqual({ list: [1] });
  });

  test('gives the old value itself where nothing changes', () => {
    const list = [{ x: 1 }];
    const bag = { x: list };
    expect(reduce('append', list, [])).toBe(list);
    expect([reduce('merge', bag, {}), reduce('merge', bag, { x: list })]).toEqual([bag, bag]);
    expect(reduce('merge', bag, { x: list })).toBe(bag);
    expect(reduce((old) => old ?? null, bag, 1)).toBe(bag);
  });

  test('is found by own keys only', () => {
    expect(reducerOf({ a: 'sum' }, 'a')).toBe('sum');
    expect([reducerOf({}, 'constructor'), reducerOf({}, '__proto__')]).toEqual(['overwrite', 'overwrite']);
  });

  test('leaves the old value as it is', () => {
    fc.assert(
      fc.property(fc.array(jsonValues()), jsonValues(), (old, value) => {
        const before = structuredClone(old);
        const result = reduce('append', old, value);
        expect(old).toEqual(before);
        expect(result).toEqual([...old, ...(Array.isArray(value) ? (value as JsonValue[]) : [value])]);
      }),
    );
  });
});
