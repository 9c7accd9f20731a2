import { describe, expect, test } from 'vitest';

import type { InboxItem, RunState, SessionEvent } from '../../src/core/index.js';
import { changesFlow, emptyState, evolve, fold, isGone, nodePath } from '../../src/core/index.js';
import { ANN, AT } from '../helpers/events.js';

const point = { phase: 'turn', path: nodePath('') } as const;

function message(seq: number): InboxItem {
  return { type: 'message', id: `m${seq}`, seq, text: 'faster', priority: 'normal', from: ANN, at: AT };
}

function delivered(item: InboxItem): SessionEvent {
  return { type: 'inbox-delivered', item, point, deliveredAt: AT };
}

function dropped(seq: number): SessionEvent {
  return { type: 'inbox-dropped', id: `m${seq}`, seq, why: 'expired', droppedAt: AT };
}

describe('what a session knows of messages', () => {
  test('is which numbers are gone, in as few ranges as there are gaps', () => {
    const { inbox } = fold([4, 1, 7, 2, 6, 3].map((seq) => delivered(message(seq))));
    expect(inbox?.gone).toEqual([
      [1, 4],
      [6, 7],
    ]);
    expect([1, 4, 5, 6, 7, 8].filter((seq) => isGone(inbox, seq))).toEqual([1, 4, 6, 7]);
    expect(isGone(undefined, 1)).toBe(false);
  });

  test('is that each is delivered or dropped once (G18)', () => {
    const state = fold([delivered(message(1)), dropped(2)]);
    for (const again of [delivered(message(1)), delivered(message(2)), dropped(1), dropped(2)])
      expect(() => evolve(state, again)).toThrow('is gone');
  });

  test('is what was delivered without an effect so far (case 78)', () => {
    const pause: InboxItem = { type: 'control', id: 'c3', seq: 3, verb: 'pause', from: ANN, at: AT };
    const { inbox } = fold([
      delivered(message(1)),
      delivered(message(2)),
      delivered(pause),
      { type: 'inbox-settled', id: 'm1', outcome: { type: 'applied' } },
      { type: 'inbox-settled', id: 'm2', outcome: { type: 'refused', why: 'no such node' } },
      { type: 'inbox-settled', id: 'unknown', outcome: { type: 'lost' } },
      { type: 'inbox-dropped', id: 'm4', seq: 4, why: 'expired', droppedAt: AT },
    ]);
    expect(inbox).toEqual({
      gone: [[1, 4]],
      delivered: 2,
      expired: 1,
      refused: 1,
      unsettled: [pause],
      lastAt: AT,
    });
  });

  test('stays small where nobody settles', () => {
    const events = Array.from({ length: 150 }, (_, index) => delivered(message(index + 1)));
    expect(
      fold(events)
        .inbox?.unsettled.map(({ seq }) => seq)
        .slice(0, 2),
    ).toEqual([51, 52]);
  });

  test("is the session's own, whatever node it is told at (case 79)", () => {
    const placed = { ...delivered(message(1)), scope: nodePath('outer@1/inner@1') };
    expect(evolve(emptyState(), placed)).toEqual(evolve(emptyState(), delivered(message(1))));
  });
});

test('what a model cost that read a message counts (N-8)', () => {
  const usage = { inputTokens: 7, outputTokens: 2 };
  const chosen: SessionEvent = {
    type: 'action-chosen',
    message: 'm1',
    choice: { type: 'pause', why: 'prose' },
    model: 'demo',
    attempts: 2,
    usage,
  };
  const { usage: _usage, ...free } = chosen;
  const state: RunState = emptyState();
  expect(evolve(state, chosen).usage).toMatchObject(usage);
  expect(evolve(state, free)).toBe(state);
});

test('edits and notes leave a run on its course (Q-10, I-26)', () => {
  const patch = { fast: true };
  const keeping = [
    { action: 'update-state', patch },
    { action: 'change-condition', patch },
    { action: 'defer', note: 'later' },
    { action: 'edit-output', value: 0 },
  ] as const;
  expect(keeping.filter(changesFlow)).toEqual([]);
  expect(changesFlow({ action: 'sequence', actions: keeping })).toBe(false);
  expect(changesFlow({ action: 'sequence', actions: [...keeping, { action: 'skip' }] })).toBe(true);
  expect(changesFlow({ action: 'go-back' })).toBe(true);
});
