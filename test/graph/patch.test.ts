import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue, StateChanges } from '../../src/core/index.js';
import { GraphState } from '../../src/core/index.js';
import { checkJson, checkPatch } from '../../src/graph/state/check-state.js';
import { reducePatch } from '../../src/graph/state/reducers.js';
import type { Reducers } from '../../src/graph/state/reducers.js';
import { jsonValues } from '../helpers/arbitraries.js';

const BY = { node: 'draft' };

/** What a patch makes of a state, as an activation does. */
function applied(state: JsonObject, patch: StateChanges, reducers: Reducers = {}) {
  const changes = reducePatch(state, patch, reducers, BY);
  const before = GraphState.of(state);
  const { state: after, undo } = before.apply(changes);
  return { changes, state: after === before ? state : after.plain, undo };
}

function refusal(set: unknown, unset?: unknown): unknown {
  try {
    return checkPatch(set, BY, unset);
  } catch (thrown) {
    return thrown;
  }
}

describe('what a node returned', () => {
  test('C-17: keeps falsy values and drops what is undefined', () => {
    const set = { a: '', b: 0, c: false, d: null, e: [], f: undefined, g: { h: undefined, i: 1 } };
    expect(checkPatch(set, BY)).toEqual({ set: { a: '', b: 0, c: false, d: null, e: [], g: { i: 1 } } });
    expect(checkPatch(undefined, BY)).toEqual({ set: {} });
    expect(checkPatch({ a: 1 }, BY, ['b', 'c', 'b'])).toEqual({ set: { a: 1 }, unset: ['b', 'c'] });
    expect(checkPatch(undefined, BY, [])).toEqual({ set: {} });
  });

  test('C-22: is copied and frozen to the last leaf', () => {
    const list = [{ x: 1 }];
    const patch = checkPatch({ list }, BY);
    list[0]!.x = 2;
    list.push({ x: 3 });
    expect(patch).toEqual({ set: { list: [{ x: 1 }] } });
    expect(() => {
      (patch.set['list'] as { x: number }[])[0]!.x = 9;
    }).toThrow(TypeError);
  });

  test('is the same as what is read back from JSON', () => {
    const patch = checkPatch({ a: -0, b: Object.assign(Object.create(null), { c: 1 }) }, BY);
    expect(Object.is(patch.set['a'], 0)).toBe(true);
    expect(JSON.parse(JSON.stringify(patch))).toEqual({ set: { a: 0, b: { c: 1 } } });
  });

  test.for<[unknown, string]>([
    [new Date(0), '`at`, written by node `draft`, is a Date, which is not valid in JSON'],
    [() => 1, '`at`, written by node `draft`, is a function, which is not valid in JSON'],
    [1n, '`at`, written by node `draft`, is a bigint, which is not valid in JSON'],
    [Symbol('s'), '`at`, written by node `draft`, is a symbol, which is not valid in JSON'],
    [NaN, '`at`, written by node `draft`, is NaN, which is not valid in JSON'],
    [-Infinity, '`at`, written by node `draft`, is -Infinity, which is not valid in JSON'],
    [new Map(), '`at`, written by node `draft`, is a Map, which is not valid in JSON'],
    [new Uint8Array(1), '`at`, written by node `draft`, is a Uint8Array, which is not valid in JSON'],
    [{ list: [1, { when: new Date(0) }] }, '`at.list[1].when`, written by node `draft`, is a Date, which'],
    [[undefined], '`at[0]`, written by node `draft`, is undefined, which is not valid in JSON'],
    [Array(1), '`at[0]`, written by node `draft`, is undefined, which is not valid in JSON'],
    [JSON.parse('{"__proto__": 1}'), '`at.__proto__`, written by node `draft`, is not allowed as a key'],
  ])('case 17: may not be %o', ([at, message]) => {
    expect(refusal({ at })).toMatchObject({
      code: 'BAD_STATE',
      message: expect.stringContaining(message),
      detail: { node: 'draft', key: 'at' },
    });
  });

  test('C-20: may not be part of itself, but may be used twice', () => {
    const ring: Record<string, unknown> = {};
    ring['self'] = [ring];
    expect(refusal({ ring })).toMatchObject({
      message: '`ring.self[0]`, written by node `draft`, contains itself, which is not valid in JSON',
    });
    const twice = { x: 1 };
    expect(checkPatch({ a: twice, b: [twice] }, BY)).toEqual({ set: { a: { x: 1 }, b: [{ x: 1 }] } });
  });

  test('may be 64 levels deep and no deeper', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(checkPatch({ a: nested(64) }, BY).set['a']).toEqual(nested(64));
    expect(checkJson(nested(64), 'a', BY)).toEqual(nested(64));
    expect(refusal({ a: nested(65) })).toMatchObject({
      message: expect.stringContaining('more than 64 levels deep'),
    });
    expect(() => checkJson(nested(65), 'a', BY)).toThrow('more than 64 levels deep');
  });

  test('may not unfold without end', () => {
    let wide: unknown[] = [];
    for (let level = 0; level < 60; level += 1) wide = [wide, wide];
    expect(refusal({ wide })).toMatchObject({
      message: expect.stringContaining('exceeds the limit of 1000000 values'),
    });
  });

  test.for(['_x', '_', 'graph_state', 'graph_', '__proto__', 'constructor', 'prototype'])(
    'C-24: may not touch the key %s',
    (key) => {
      const set = JSON.parse(`{"${key}": 1}`) as unknown;
      const message = `node \`draft\` writes the reserved key \`${key}\``;
      expect(refusal(set)).toMatchObject({ code: 'BAD_STATE', message });
      expect(refusal({}, [key])).toMatchObject({ code: 'BAD_STATE', message });
    },
  );

  test('may use keys that only look reserved', () => {
    const set = { graph: 1, x_: 2, constructors: 3, nested: { _x: 4, constructor: 5 } };
    expect(checkPatch(set, BY)).toEqual({ set });
  });

  test.for<[unknown, unknown, string]>([
    [null, undefined, 'the patch of node `draft` is null, not an object'],
    [[1], undefined, 'the patch of node `draft` is a list, not an object'],
    ['x', undefined, 'the patch of node `draft` is a string, not an object'],
    [new Date(0), undefined, 'the patch of node `draft` is a Date, not an object'],
    [{}, 'a', '`unset` of node `draft` must be a list of keys'],
    [{}, [1], '`unset` of node `draft` must be a list of keys'],
    [{ a: 1 }, ['a'], 'node `draft` both sets and deletes `a`'],
  ])('must have the form of a patch: %o with %o', ([set, unset, message]) => {
    expect(refusal(set, unset)).toMatchObject({ code: 'BAD_STATE', message });
  });
});

describe('a patch', () => {
  test('C-23: gives the new state, what changed, and how to take it back', () => {
    const state = { a: 1, b: [1], c: { x: 1 }, d: 'gone', e: 'same' };
    const reducers: Reducers = { b: 'append', c: 'merge' };
    const patch = checkPatch({ a: 2, b: 2, c: { y: 2 }, e: 'same', f: null }, BY, ['d', 'absent']);
    expect(applied(state, patch, reducers)).toEqual({
      state: { a: 2, b: [1, 2], c: { x: 1, y: 2 }, e: 'same', f: null },
      changes: { set: { a: 2, b: [1, 2], c: { x: 1, y: 2 }, f: null }, unset: ['d'] },
      undo: { set: { d: 'gone', a: 1, b: [1], c: { x: 1 } }, unset: ['f'] },
    });
    expect(state).toEqual({ a: 1, b: [1], c: { x: 1 }, d: 'gone', e: 'same' });
  });

  test('that changes nothing gives the same object', () => {
    const state = { a: { x: [1] }, b: [1], c: {}, d: 1 };
    const patch = checkPatch({ a: { x: [1] }, b: [], c: {}, d: 0 }, BY, ['z']);
    const reducers: Reducers = { b: 'append', c: 'merge', d: 'sum' };
    const after = applied(state, patch, reducers);
    expect(after.state).toBe(state);
    expect(after).toEqual({ state, changes: { set: {} }, undo: { set: {} } });
  });

  test('shares what it leaves alone, and freezes what it adds', () => {
    const state = { big: { list: [1, 2, 3] }, n: 1, log: [{ y: 1 }] };
    const values = { n: 2, list: [{ x: 1 }], log: 1 };
    const { state: next } = applied(state, { set: values }, { log: 'append' });
    expect(next['big']).toBe(state.big);
    for (const frozen of [next['list'], values.list[0], next['log'], state.log[0]])
      expect(Object.isFrozen(frozen)).toBe(true);
  });

  test('that a reducer refuses applies nothing', () => {
    const state = { a: 1, n: 1 };
    expect(() => applied(state, checkPatch({ a: 2, n: 'x' }, BY), { n: 'sum' })).toThrow(
      '`n` holds a number',
    );
    expect(state).toEqual({ a: 1, n: 1 });
  });

  test('cannot reach the prototype, even unchecked', () => {
    const patch = JSON.parse('{"set": {"__proto__": {"polluted": 1}}}') as { set: JsonObject };
    const { state } = applied({ a: 1 }, patch);
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  /** Values that a node may write. */
  const writable = (): fc.Arbitrary<JsonValue> =>
    jsonValues().filter((value) => !JSON.stringify(value).includes('"__proto__"'));

  test('I-21: patches taken back newest first give every state before', () => {
    const keys = fc.constantFrom('a', 'b', 'list', 'sum', 'bag');
    const values: Record<string, fc.Arbitrary<JsonValue>> = {
      list: writable(),
      sum: fc.integer(),
      bag: fc.dictionary(fc.constantFrom('x', 'y'), writable()),
    };
    const write = keys.chain((key) => (values[key] ?? writable()).map((value) => [key, value] as const));
    const patches = fc.record({
      writes: fc.array(write, { maxLength: 4 }),
      unset: fc.array(keys, { maxLength: 2 }),
    });
    const reducers: Reducers = {
      list: 'append',
      sum: 'sum',
      bag: 'merge',
      b: (old, value) => [old ?? null, value],
    };
    fc.assert(
      fc.property(fc.array(patches, { maxLength: 8 }), (steps) => {
        const states: JsonObject[] = [{}];
        const undos = steps.map(({ writes, unset }) => {
          const set = Object.fromEntries(writes.filter(([key]) => !unset.includes(key)));
          // `b` grows with every write: what is too deep is not the point here.
          const patch = checkPatch(set, BY, unset);
          const { state, undo } = applied(states.at(-1)!, patch, reducers);
          states.push(state);
          return JSON.parse(JSON.stringify(undo)) as typeof undo;
        });
        for (const undo of undos.reverse())
          expect(GraphState.of(states.pop()!).undo([undo]).plain).toEqual(states.at(-1));
        expect(states).toEqual([{}]);
      }),
    );
  });
});
