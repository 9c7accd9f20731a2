import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/core/index.js';
import { GraphState } from '../../src/core/index.js';
import { checkPatch } from '../../src/graph/state/check-state.js';
import type { Branch, ConflictPolicy, Merge, MergeConflict } from '../../src/graph/state/merge.js';
import { mergeBranches } from '../../src/graph/state/merge.js';
import { reducePatch } from '../../src/graph/state/reducers.js';
import type { Reducers } from '../../src/graph/state/reducers.js';

/** What one node of a branch wrote. */
interface Step {
  readonly set?: JsonObject;
  readonly unset?: readonly string[];
}

/** A branch that ran these steps from a base, as a group would run it. */
function ran(name: string, base: JsonObject, steps: readonly Step[], reducers: Reducers = {}): Branch {
  let state = GraphState.of(base);
  const contributions = steps.map(({ set, unset }, index) => {
    const node = `${name}${index}`;
    const patch = checkPatch(set, { node }, unset);
    state = state.apply(reducePatch(state, patch, reducers, { node })).state;
    return { node, patch };
  });
  return { name, state: state.plain, contributions };
}

/** The state that a merge without an open conflict makes of its base. */
function stateOf(base: JsonObject, merge: Merge): JsonObject {
  if (merge.type === 'conflict') throw merge.error;
  const before = GraphState.of(base);
  const { state: after } = before.apply(merge.writes);
  return after === before ? base : after.plain;
}

describe('a merge of branches', () => {
  test('case 22: keeps the change of one branch in either order of declaration', () => {
    const base = { x: 1, y: 1 };
    const a = ran('a', base, [{ set: { x: 2 } }]);
    const b = ran('b', base, [{ set: { y: 1 } }]);
    const merged = {
      type: 'merged',
      writes: { set: { x: 2 } },
      conflicts: [],
    };
    expect(mergeBranches(base, [a, b], { reducers: {} })).toEqual(merged);
    expect(mergeBranches(base, [b, a], { reducers: {} })).toEqual(merged);
  });

  test('case 23: takes equal deep values without a conflict', () => {
    const a = ran('a', {}, [{ set: { x: { p: [1, { q: null }], r: 2 } } }]);
    const b = ran('b', {}, [{ set: { x: { r: 2, p: [1, { q: null }] } } }]);
    expect(mergeBranches({}, [a, b], { reducers: {} })).toMatchObject({
      type: 'merged',
      writes: { set: { x: { p: [1, { q: null }], r: 2 } } },
      conflicts: [],
    });
  });

  test('case 24: refuses two values of one key, naming key, branches, values and a way out', () => {
    const a = ran('a', { x: 0 }, [{ set: { x: 1 } }]);
    const b = ran('b', { x: 0 }, [{ set: { x: 2 } }]);
    const merge = mergeBranches({ x: 0 }, [a, b], { reducers: {} });
    const conflict: MergeConflict = {
      key: 'x',
      base: 0,
      values: [
        { branch: 'a', value: 1 },
        { branch: 'b', value: 2 },
      ],
    };
    expect(merge).toMatchObject({
      type: 'conflict',
      conflicts: [conflict],
      error: {
        code: 'MERGE_CONFLICT',
        message: 'branches disagree about `x`: branch `a` sets 1, branch `b` sets 2',
        hint: expect.stringContaining('declare a reducer for `x`'),
        detail: { conflicts: [conflict] },
      },
    });
  });

  test.for<[string, ConflictPolicy, JsonValue]>([
    ['last', 'last', 2],
    ['first', 'first', 1],
    ['a function', ({ values }) => values.map(({ branch }) => branch), ['a', 'b']],
  ])('case 24: settles a conflict by order of declaration with %s, and reports it', ([, onConflict, x]) => {
    const a = ran('a', { x: 0 }, [{ set: { x: 1 } }]);
    const b = ran('b', { x: 0 }, [{ set: { x: 2 } }]);
    expect(mergeBranches({ x: 0 }, [a, b], { reducers: {}, onConflict })).toMatchObject({
      type: 'merged',
      writes: { set: { x } },
      conflicts: [{ key: 'x' }],
    });
  });

  test('case 25: appends what each branch added, and what was there once', () => {
    const reducers: Reducers = { list: 'append' };
    const base = { list: [1] };
    const a = ran('a', base, [{ set: { list: 2 } }], reducers);
    const b = ran('b', base, [{ set: { list: [3] } }, { set: { list: 4 } }], reducers);
    expect(stateOf(base, mergeBranches(base, [a, b], { reducers }))).toEqual({ list: [1, 2, 3, 4] });
    expect(stateOf(base, mergeBranches(base, [b, a], { reducers }))).toEqual({ list: [1, 3, 4, 2] });
  });

  test('P-7: counts two branches that add the same', () => {
    const reducers: Reducers = { list: 'append', n: 'sum' };
    const base = { list: [1], n: 1 };
    const step = { set: { list: 2, n: 5 } };
    const branches = ['a', 'b'].map((name) => ran(name, base, [step], reducers));
    expect(stateOf(base, mergeBranches(base, branches, { reducers }))).toEqual({ list: [1, 2, 2], n: 11 });
  });

  test('P-6: folds `merge` and reducers of your own, who learn the branch', () => {
    const seen: unknown[] = [];
    const base = { bag: { x: 0, z: 0 }, most: 5 };
    const reducers: Reducers = {
      bag: 'merge',
      most: (old, value, by) => {
        if (by.branch !== undefined) seen.push(by);
        return Math.max(Number(old), Number(value));
      },
    };
    const a = ran('a', base, [{ set: { bag: { x: 1 }, most: 9 } }], reducers);
    const b = ran('b', base, [{ set: { bag: { y: 1, x: 2 }, most: 7 } }], reducers);
    expect(stateOf(base, mergeBranches(base, [a, b], { reducers }))).toEqual({
      bag: { x: 2, y: 1, z: 0 },
      most: 9,
    });
    expect(seen).toEqual([
      { node: 'a0', branch: 'a' },
      { node: 'b0', branch: 'b' },
    ]);
  });

  test('case 26: takes a deletion that nobody contradicts', () => {
    const base = { x: 1, y: 1 };
    const a = ran('a', base, [{ unset: ['x'] }]);
    expect(stateOf(base, mergeBranches(base, [a, ran('b', base, [])], { reducers: {} }))).toEqual({ y: 1 });
    expect(stateOf(base, mergeBranches(base, [ran('b', base, []), a, a], { reducers: {} }))).toEqual({
      y: 1,
    });
  });

  test.for(['overwrite', 'append'] as const)(
    'case 26: deletion against change of %s is a conflict',
    (reducer) => {
      const base = { x: [1] };
      const reducers: Reducers = { x: reducer };
      const a = ran('a', base, [{ unset: ['x'] }], reducers);
      const b = ran('b', base, [{ set: { x: [2] } }], reducers);
      expect(mergeBranches(base, [a, b], { reducers })).toMatchObject({
        type: 'conflict',
        conflicts: [{ key: 'x', base: [1], values: [{ branch: 'a' }, { branch: 'b' }] }],
        error: { message: expect.stringContaining('branch `a` deletes it, branch `b` sets') },
      });
      expect(stateOf(base, mergeBranches(base, [b, a], { reducers, onConflict: 'last' }))).toEqual({});
    },
  );

  test('case 26: deletion and a new start of a list against change is a conflict too', () => {
    const base = { x: [1] };
    const reducers: Reducers = { x: 'append' };
    const a = ran('a', base, [{ unset: ['x'] }, { set: { x: 9 } }], reducers);
    const b = ran('b', base, [{ set: { x: 2 } }], reducers);
    expect(mergeBranches(base, [a, b], { reducers })).toMatchObject({
      type: 'conflict',
      conflicts: [
        {
          key: 'x',
          values: [
            { branch: 'a', value: [9] },
            { branch: 'b', value: [1, 2] },
          ],
        },
      ],
    });
    expect(stateOf(base, mergeBranches(base, [a, ran('c', base, [])], { reducers }))).toEqual({ x: [9] });
  });

  test('P-6: writes nothing where the writes cancel out', () => {
    const reducers: Reducers = { n: 'sum' };
    const branches = [5, -5].map((n, index) => ran(`b${index}`, { n: 1 }, [{ set: { n } }], reducers));
    expect(mergeBranches({ n: 1 }, branches, { reducers })).toMatchObject({
      writes: { set: {} },
    });
  });

  test('P-6: null against a value is a conflict, and a missing key is not null', () => {
    const a = ran('a', {}, [{ set: { x: null } }]);
    const b = ran('b', {}, [{ set: { x: 1 } }]);
    expect(mergeBranches({}, [a, b], { reducers: {} })).toMatchObject({
      type: 'conflict',
      conflicts: [
        {
          key: 'x',
          values: [
            { branch: 'a', value: null },
            { branch: 'b', value: 1 },
          ],
        },
      ],
    });
    expect(stateOf({}, mergeBranches({}, [a, ran('c', {}, [])], { reducers: {} }))).toEqual({ x: null });
  });

  test('does not guess at a reducer without the writes', () => {
    const reducers: Reducers = { n: 'sum' };
    const branches = [
      { name: 'a', state: { n: 2 } },
      { name: 'b', state: { n: 2 } },
    ];
    expect(mergeBranches({ n: 1 }, branches, { reducers }).type).toBe('conflict');
    expect(stateOf({ n: 1 }, mergeBranches({ n: 1 }, branches.slice(1), { reducers }))).toEqual({ n: 2 });
  });

  test('names at most three of many conflicts, and clips what is long', () => {
    const state = (text: string): JsonObject =>
      Object.fromEntries(['p', 'q', 'r', 's', 't'].map((key) => [key, text.repeat(100)]));
    const merge = mergeBranches(
      {},
      [ran('a', {}, [{ set: state('x') }]), ran('b', {}, [{ set: state('y') }])],
      {
        reducers: {},
      },
    );
    expect(merge).toMatchObject({ conflicts: { length: 5 } });
    const message = merge.type === 'conflict' ? merge.error.message : '';
    expect(message).toMatch(/^branches disagree about `p`: .*`q`: .*`r`: .*; and 2 more keys$/u);
    expect(message.length).toBeLessThan(600);
  });

  test('refuses what a conflict function returns beside JSON', () => {
    const a = ran('a', {}, [{ set: { x: 1 } }]);
    const b = ran('b', {}, [{ set: { x: 2 } }]);
    const onConflict = (() => undefined) as unknown as ConflictPolicy;
    expect(() => mergeBranches({}, [a, b], { reducers: {}, onConflict })).toThrow(
      expect.objectContaining({ code: 'BAD_STATE' }),
    );
  });

  test('of no branches, and of branches that did nothing, is the base itself', () => {
    const base = { x: 1 };
    expect(stateOf(base, mergeBranches(base, [], { reducers: {} }))).toBe(base);
    expect(stateOf(base, mergeBranches(base, [ran('a', base, [])], { reducers: {} }))).toBe(base);
  });
});

describe('any merge', () => {
  const reducers: Reducers = { list: 'append', n: 'sum', bag: 'merge' };
  const base: JsonObject = { list: [0], n: 1, bag: { z: 0 }, x: 'base', y: 'base' };
  const sets = fc.record(
    {
      list: fc.array(fc.nat(9), { maxLength: 2 }),
      n: fc.integer({ min: -5, max: 5 }),
      bag: fc.dictionary(fc.constantFrom('p', 'q'), fc.nat(9)),
      x: fc.constantFrom('base', 'one', 'two'),
    },
    { requiredKeys: [] },
  );
  const steps = fc.array(
    fc.oneof(
      { arbitrary: sets.map((set): Step => ({ set })), weight: 5 },
      { arbitrary: fc.constant<Step>({ unset: ['y'] }), weight: 1 },
    ),
    { maxLength: 4 },
  );
  const runs = fc.array(steps, { maxLength: 4 });
  const branchesOf = (of: readonly (readonly Step[])[]): Branch[] =>
    of.map((each, index) => ran(`b${index}`, base, each, reducers));

  test('P-12: depends on the order of branches only where two disagree or a reducer does', () => {
    fc.assert(
      fc.property(runs, fc.infiniteStream(fc.nat()), (of, dice) => {
        // Each branch writes `x` under a name of its own, so that none disagree; sums come out the same in any order.
        const branches = of.map((each, index) => {
          const own = each.map(({ set, unset }): Step => {
            const { n, x } = set ?? {};
            const mine = {
              ...(n === undefined ? {} : { n }),
              ...(x === undefined ? {} : { [`x${index}`]: x }),
            };
            return unset === undefined ? { set: mine } : { unset };
          });
          return ran(`b${index}`, base, own, reducers);
        });
        const shuffled = branches
          .map((branch) => ({ branch, at: Number(dice.next().value) }))
          .sort((one, other) => one.at - other.at)
          .map(({ branch }) => branch);
        const merged = stateOf(base, mergeBranches(base, branches, { reducers }));
        expect(stateOf(base, mergeBranches(base, shuffled, { reducers }))).toEqual(merged);
      }),
    );
  });

  test('P-7: gives keys with reducers what the branches give one after the other', () => {
    fc.assert(
      fc.property(runs, (of) => {
        const merged = stateOf(base, mergeBranches(base, branchesOf(of), { reducers, onConflict: 'last' }));
        const { list, n, bag } = ran('all', base, of.flat(), reducers).state;
        expect({ list: merged['list'], n: merged['n'], bag: merged['bag'] }).toEqual({ list, n, bag });
      }),
    );
  });

  test('of one branch is that branch', () => {
    fc.assert(
      fc.property(steps, (each) => {
        const [branch] = branchesOf([each]);
        expect(stateOf(base, mergeBranches(base, [branch!], { reducers }))).toEqual(branch!.state);
      }),
    );
  });

  test('writes only what differs from the base', () => {
    fc.assert(
      fc.property(runs, (of) => {
        const merge = mergeBranches(base, branchesOf(of), { reducers, onConflict: 'first' });
        if (merge.type === 'conflict') throw merge.error;
        expect(reducePatch(base, merge.writes, {}, { node: 'group' })).toEqual(merge.writes);
      }),
    );
  });

  test('takes an untouched key from nobody', () => {
    fc.assert(
      fc.property(runs, (of) => {
        const isTouched = of.flat().some(({ unset }) => unset !== undefined);
        const merged = stateOf(base, mergeBranches(base, branchesOf(of), { reducers, onConflict: 'last' }));
        expect(Object.hasOwn(merged, 'y')).toBe(!isTouched);
      }),
    );
  });
});
