import { describe, expect, test } from 'vitest';

import {
  AppendList,
  areEntries,
  areMessages,
  areResolved,
  emptyState,
  fold,
  isStateBase,
  stateFromJson,
  stateToJson,
} from '../../src/core/index.js';
import type { RunState, StateJson } from '../../src/core/index.js';
import { RefIndex } from '../../src/core/data/sequence.js';
import {
  agent,
  approved,
  called,
  confirmation,
  said,
  settled,
  started,
  transferTurn,
} from '../sessions/sample-events.js';

/** A state as a file would give it back. */
function throughText(state: RunState): RunState {
  const { base, entries, view, resolved } = JSON.parse(JSON.stringify(stateToJson(state))) as StateJson;
  expect([isStateBase(base), areEntries(entries), areResolved(resolved)]).toEqual([true, true, true]);
  return stateFromJson(base, {
    entries: () => entries,
    ...(view && { view: () => view }),
    resolved: () => resolved,
  });
}

const events = [
  { type: 'session-created', agent, title: 'Rent', cwd: '/home/ann' } as const,
  { type: 'session-opened', epoch: 1, pid: 7, host: 'here' } as const,
  ...transferTurn('a', 'i1'),
  { type: 'message-added', message: { role: 'model', content: [] } } as const,
  ...transferTurn('b', 'i2').slice(0, 5),
];

describe('a state as JSON', () => {
  test('is the same state again, after every event', () => {
    for (let count = 0; count <= events.length; count += 1) {
      const state = fold(events.slice(0, count), emptyState());
      const again = throughText(state);
      expect(again).toEqual(state);
      expect(again.refs.has('a')).toBe(state.refs.has('a'));
      expect(again.view.toArray()).toEqual(state.view.toArray());
    }
  });

  test('goes on as the state would have', () => {
    const rest = transferTurn('b', 'i2').slice(5);
    const state = fold(events, emptyState());
    expect(fold(rest, throughText(state))).toEqual(fold(rest, state));
  });

  test('keeps an edited input before the model, which is found by identity', () => {
    const input = { amount: 200 };
    const interrupt = confirmation('i1', 'a', input);
    const edit = {
      ...approved(interrupt),
      resolution: { action: 'restart', input: { amount: 150 } },
    } as const;
    const asked = [
      said('go'),
      called('a', input),
      started('a', 1, input),
      ...transferTurn('a', 'i1').slice(4, 5),
    ];
    const edited = fold([...asked, edit], emptyState());
    const rest = [started('a', 2, { amount: 150 }), settled('a')];
    const after = fold(rest, throughText(edited));
    expect(after.view.at(1)?.content).toMatchObject([{ type: 'tool-request', input: { amount: 150 } }]);
    expect(after.entries.at(1)?.message.content).toMatchObject([{ type: 'tool-request', input }]);
    expect(throughText(after)).toEqual(after);
    expect(after).toEqual(fold(rest, edited));
  });

  test('does not repeat what follows from the entries', () => {
    const json = stateToJson(fold(events, emptyState()));
    expect(json?.view).toBeUndefined();
    expect(json?.entries.flatMap(({ calls }) => calls ?? []).filter((call) => 'request' in call)).toEqual([]);
  });

  test('holds a view that does not follow from the entries', () => {
    const state = fold(events, emptyState());
    const other: RunState = { ...state, view: AppendList.of([{ role: 'user', content: [] }]) };
    expect(stateToJson(other)?.view).toEqual([{ role: 'user', content: [] }]);
    expect(throughText(other)).toEqual(other);
  });

  test('is refused for refs that follow from nothing', () => {
    expect(stateToJson({ ...emptyState(), refs: RefIndex.empty().add('x') })).toBeUndefined();
  });

  test.for([
    [isStateBase, [null, {}, [], { counts: {} }, { ...stateToJson(emptyState())?.base, open: 1 }]],
    [areEntries, [null, {}, [1], [{}], [{ message: { role: 'user' } }]]],
    [areMessages, [null, [{}], [{ role: 1, content: [] }]]],
    [areResolved, [null, [1], [{ interrupt: {} }]]],
  ] as const)('is recognised by %o', ([isRight, wrong]) => {
    expect(wrong.filter((value) => isRight(value))).toEqual([]);
  });
});

describe('a lazy list', () => {
  test('loads when an item is looked at, once', () => {
    let loads = 0;
    const list = AppendList.lazy(2, () => {
      loads += 1;
      return ['a', 'b'];
    });
    expect([list.length, list.at(5), loads]).toEqual([2, undefined, 0]);
    expect([list.at(0), list.at(-1), [...list], list.toArray(), loads]).toEqual([
      'a',
      'b',
      ['a', 'b'],
      ['a', 'b'],
      1,
    ]);
  });

  test('branches as any other', () => {
    const list = AppendList.lazy(1, () => ['a']);
    const [left, right] = [list.append('l'), list.append('r')];
    expect([[...list], [...left], [...right]]).toEqual([['a'], ['a', 'l'], ['a', 'r']]);
  });

  test('refuses another number of items than it has said', () => {
    const list = AppendList.lazy(3, () => ['a']);
    expect(() => list.at(0)).toThrow('expected a list of 3 items, got 1');
  });

  test('of refs knows them, and grows', () => {
    const refs = RefIndex.lazy(1, () => ['a']);
    const more = refs.add('b');
    expect([refs.size, refs.has('a'), refs.has('b'), more.has('a'), more.has('b')]).toEqual([
      1,
      true,
      false,
      true,
      true,
    ]);
    const other = refs.add('c');
    expect([other.has('b'), other.has('c'), more.has('c')]).toEqual([false, true, false]);
    expect(() => RefIndex.lazy(2, () => ['a']).has('a')).toThrow('expected an index of 2 refs, got 1');
  });
});
