import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, StateChanges } from '../../src/core/index.js';
import { GraphState } from '../../src/core/index.js';
import { jsonValues } from '../helpers/arbitraries.js';

const keys = fc.constantFrom('a', 'b', 'c', '1', 'toString');
const changes = fc.record({
  set: fc.dictionary(keys, jsonValues()),
  unset: fc.uniqueArray(keys, { maxLength: 2 }),
});

/** What changes make of a plain object. */
function changed(state: JsonObject, { set, unset = [] }: StateChanges): JsonObject {
  const next = { ...state, ...set };
  return Object.fromEntries(Object.entries(next).filter(([key]) => !unset.includes(key)));
}

describe('the state of a graph', () => {
  test('is what its changes make of a plain object, in every version of it and in the order of its keys', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), changes), { maxLength: 12 }), (steps) => {
        const versions = [{ state: GraphState.of({ a: 0 }), plain: changed({ a: 0 }, { set: {} }) }];
        for (const [from, change] of steps) {
          const { state, plain } = versions[from % versions.length]!; // also from one that was left behind
          versions.push({ state: state.apply(change).state, plain: changed(plain, change) });
        }
        for (const { state, plain } of versions.toReversed()) {
          for (const key of ['a', 'b', 'c', '1', 'toString', '__proto__'])
            expect(state.get(key)).toEqual(Object.hasOwn(plain, key) ? plain[key] : undefined);
          expect([Object.keys(state.plain), state.plain]).toEqual([Object.keys(plain), plain]);
        }
      }),
    );
  });

  test('C-23: is what it was when its changes are taken back, all at once or one after the other', () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
        const before = { a: 0, b: [1] };
        let state = GraphState.of(before);
        const undos = steps.map((change) => {
          const applied = state.apply(change);
          state = applied.state;
          return applied.undo;
        });
        const newestFirst = undos.toReversed();
        const oneByOne = newestFirst.reduce((one, undo) => one.undo([undo]), state);
        expect([state.undo(newestFirst).plain, oneByOne.plain]).toEqual([before, before]);
      }),
    );
  });

  test('is frozen to its last leaf, and one object for as long as it does not change', () => {
    const state = GraphState.of({ list: [{ x: 1 }] });
    const { state: next } = state.apply({ set: { more: { y: [] } } });
    const { list, more } = next.plain;
    expect([next.plain, list, more].map((value) => Object.isFrozen(value))).toEqual([true, true, true]);
    expect(next.apply({ set: {} }).state.plain).toBe(next.plain);
    expect(list).toBe(state.plain['list']);
  });
});
