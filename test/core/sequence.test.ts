import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

import { AppendList } from '../../src/core/index.js';
import { RefIndex } from '../../src/core/data/sequence.js';

describe('an append list', () => {
  test('counts from both ends, and has nothing outside', () => {
    const list = AppendList.of(['a', 'b', 'c']);
    expect([list.length, list.at(0), list.at(2), list.at(-1), list.at(-3)]).toEqual([3, 'a', 'c', 'c', 'a']);
    expect([list.at(3), list.at(-4)]).toEqual([undefined, undefined]);
    expect([...list]).toEqual(['a', 'b', 'c']);
  });

  test('L1 and L2: no list changes, whatever is appended to it or to lists made of it', () => {
    const steps = fc.array(fc.record({ from: fc.nat(), item: fc.integer() }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (appends) => {
        const lists: { list: AppendList<number>; model: readonly number[] }[] = [
          { list: AppendList.of(), model: [] },
        ];
        for (const { from, item } of appends) {
          const { list, model } = lists[from % lists.length]!;
          lists.push({ list: list.append(item), model: [...model, item] });
        }
        for (const { list, model } of lists) {
          expect(list.length).toBe(model.length);
          expect(list.toArray()).toEqual(model);
          expect([...list]).toEqual(model);
          expect(list.at(-1)).toBe(model.at(-1));
          expect(list.at(model.length)).toBeUndefined();
        }
      }),
    );
  });

  test('what a reader took out does not change with the list', () => {
    const list = AppendList.of([1]);
    const taken = list.toArray() as number[];
    taken.push(9);
    expect(list.append(2).toArray()).toEqual([1, 2]);
  });

  test('finds its last item that is meant, and none that only a longer list has', () => {
    const list = AppendList.of([1, 2, 3, 4]);
    const longer = list.append(6);
    const isEven = (item: number) => item % 2 === 0;
    const none = list.findLast((item) => item > 4);
    expect([list.findLast(isEven), longer.findLast(isEven), none]).toEqual([4, 6, undefined]);
  });

  test('does not copy what it holds when its newest version grows', () => {
    const copies = vi.spyOn(Array.prototype, 'slice');
    let list = AppendList.of<number>();
    for (let item = 0; item < 1_000; item += 1) list = list.append(item);
    expect(copies).not.toHaveBeenCalled();
    expect(list.length).toBe(1_000);
  });

  test('does not copy where another list of the same past has appended the same item', () => {
    const copies = vi.spyOn(Array.prototype, 'slice');
    const past = AppendList.of<number>().append(1);
    const [one, other] = [past.append(2), past.append(2)];
    expect(copies).not.toHaveBeenCalled();
    expect([one.append(3).toArray(), other.append(4).toArray()]).toEqual([
      [1, 2, 3],
      [1, 2, 4],
    ]);
  });

  test('L3: a lazy list loads once, when it is first looked at', () => {
    const load = vi.fn(() => ['a', 'b']);
    const list = AppendList.lazy(2, load);
    expect(list.length).toBe(2);
    expect(load).not.toHaveBeenCalled();
    expect(list.append('c').toArray()).toEqual(['a', 'b', 'c']);
    expect([...list]).toEqual(['a', 'b']);
    expect(list.at(-1)).toBe('b');
    expect(load).toHaveBeenCalledOnce();
  });

  test('L3: a lazy list that was told a wrong length says so', () => {
    expect(() => AppendList.lazy(3, () => ['a']).at(0)).toThrow('expected a list of 3 items, got 1');
  });
});

describe('an index of refs', () => {
  test('L1 and L2: no index changes, whatever is added to it or to indexes made of it', () => {
    const steps = fc.array(fc.record({ from: fc.nat(), ref: fc.constantFrom('a', 'b', 'c', 'd', 'e') }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (additions) => {
        const indexes: { index: RefIndex; model: ReadonlySet<string> }[] = [
          { index: RefIndex.empty(), model: new Set() },
        ];
        for (const { from, ref } of additions) {
          const { index, model } = indexes[from % indexes.length]!;
          indexes.push({ index: index.add(ref), model: new Set([...model, ref]) });
        }
        for (const { index, model } of indexes) {
          expect(['a', 'b', 'c', 'd', 'e'].filter((ref) => index.has(ref)).sort()).toEqual([...model].sort());
          expect(index.size).toBe(model.size);
        }
      }),
    );
  });

  test('does not know the names of inherited members', () => {
    expect(RefIndex.empty().has('__proto__')).toBe(false);
    expect(RefIndex.empty().add('__proto__').has('constructor')).toBe(false);
  });

  test('L3: a lazy index loads once, when it is first asked', () => {
    const load = vi.fn(() => ['a', 'b']);
    const index = RefIndex.lazy(2, load);
    expect(index.size).toBe(2);
    expect(load).not.toHaveBeenCalled();
    expect([index.has('a'), index.has('c'), index.add('c').has('c')]).toEqual([true, false, true]);
    expect(load).toHaveBeenCalledOnce();
  });

  test('L3: a lazy index that was told a wrong size says so', () => {
    expect(() => RefIndex.lazy(1, () => ['a', 'b']).has('a')).toThrow('expected an index of 1 refs, got 2');
  });
});
