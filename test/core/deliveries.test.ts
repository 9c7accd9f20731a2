import { describe, expect, test } from 'vitest';

import type { DeliveryNote, Interrupt, WaitingItem } from '../../src/core/index.js';
import { noteAfter, planDeliveries, takenToRaise, takenToResolve } from '../../src/core/index.js';

const NOW = Date.UTC(2026, 0, 2);
const CHANNEL = { name: 'ops', tellsResolved: false };
const iso = (ms: number): string => new Date(ms).toISOString();

function item(id: string, digest = 'd1'): WaitingItem {
  const interrupt = { id, digest, kind: 'question', payload: 'Which?' } as unknown as Interrupt;
  return { session: 's1' as WaitingItem['session'], title: 'One', interrupt };
}

function note(over: Partial<DeliveryNote> = {}, of = item('i1')): DeliveryNote {
  return { ...takenToRaise(of, 'ops', { was: undefined, now: NOW }), ...over };
}

const types = (view: Partial<Parameters<typeof planDeliveries>[0]>) =>
  planDeliveries({ channel: CHANNEL, notes: [], waiting: [], now: NOW, ...view }).steps.map(
    ({ type }) => type,
  );

describe('what is due', () => {
  test('A question about which nothing is noted is told, and one that was told is not.', () => {
    const waiting = [item('i1'), item('i2')];
    const notes = [note({ state: 'sent', at: iso(NOW) })];
    expect(planDeliveries({ channel: CHANNEL, notes, waiting, now: NOW })).toEqual({
      steps: [{ type: 'raise', item: waiting[1] }],
    });
  });

  test('Of what nothing is noted about, a receiver is told what was asked since its moment; what is noted goes on.', () => {
    const at = (one: WaitingItem, ms: number): WaitingItem => ({
      ...one,
      interrupt: { ...one.interrupt, raisedAt: iso(ms) },
    });
    const waiting = [at(item('i1'), NOW - 1), at(item('i2'), NOW), at(item('i3'), NOW - 1)];
    const notes = [note({ state: 'waiting', at: iso(NOW) }, item('i3'))];
    const channel = { ...CHANNEL, since: NOW };
    expect(planDeliveries({ channel, notes, waiting, now: NOW }).steps).toEqual([
      { type: 'raise', item: waiting[1] },
      { type: 'raise', item: waiting[2], was: notes[0] },
    ]);
  });

  test('The note of another receiver says nothing about this one.', () => {
    const other = takenToRaise(item('i1'), 'chat', { was: undefined, now: NOW });
    expect(types({ notes: [other], waiting: [item('i1')] })).toEqual(['raise']);
  });

  test('A question with another digest is another question, and the old one is forgotten.', () => {
    const notes = [note({ state: 'sent' })];
    expect(types({ notes, waiting: [item('i1', 'd2')] })).toEqual(['raise', 'forget']);
  });

  test.each<[string, Partial<DeliveryNote>, boolean, readonly string[]]>([
    ['somebody is sending it', { state: 'sending', at: iso(NOW + 1) }, true, []],
    ['who was sending it is gone', { state: 'sending', at: iso(NOW) }, true, ['raise']],
    ['its pause is not over', { state: 'waiting', at: iso(NOW + 1) }, true, []],
    ['its pause is over', { state: 'waiting', at: iso(NOW) }, true, ['raise']],
    ['it was left to a person', { state: 'left', at: iso(NOW - 1) }, true, []],
    [
      'it was answered before it was sent again',
      { state: 'waiting', at: iso(NOW + 9), attempts: 0 },
      false,
      ['forget'],
    ],
    ['it was answered after it was left', { state: 'left' }, false, ['forget']],
    ['it was answered while somebody sends it', { state: 'sending', at: iso(NOW + 1) }, false, []],
    ['it was answered and its sender is gone', { state: 'sending', at: iso(NOW) }, false, ['forget']],
    ['it was told and answered', { state: 'sent' }, false, ['forget']],
  ])('Where %s, the right thing is due.', (_title, over, isOpen, expected) => {
    expect(types({ notes: [note(over)], waiting: isOpen ? [item('i1')] : [] })).toEqual(expected);
  });

  test.each<[string, Partial<DeliveryNote>, readonly string[]]>([
    ['was told', { state: 'sent' }, ['resolve']],
    ['may have been told', { state: 'waiting', attempts: 1, at: iso(NOW + 9) }, ['resolve']],
    ['was never tried', { state: 'waiting', attempts: 0 }, ['forget']],
    ['is told right now that it was answered', { event: 'interrupt.resolved', at: iso(NOW + 1) }, []],
    ['was not reached with it', { event: 'interrupt.resolved', state: 'waiting', at: iso(NOW) }, ['resolve']],
  ])('A receiver that wants to know of answers and %s gets what is due.', (_title, over, expected) => {
    const channel = { ...CHANNEL, tellsResolved: true };
    expect(types({ channel, notes: [note(over)] })).toEqual(expected);
  });

  test('The next look is at the first moment at which something is due by time.', () => {
    const notes = [note({ state: 'waiting', at: iso(NOW + 9) }), note({ at: iso(NOW + 4) }, item('i2'))];
    expect(planDeliveries({ channel: CHANNEL, notes, waiting: [item('i1'), item('i2')], now: NOW })).toEqual({
      steps: [],
      next: NOW + 4,
    });
  });
});

describe('what is noted', () => {
  test('A message has one name for all receivers and tries, and another one for the answer.', () => {
    const [first, other] = [note(), takenToRaise(item('i1'), 'chat', { was: undefined, now: NOW })];
    const again = takenToRaise(item('i1'), 'ops', { was: first, now: NOW + 9 });
    expect([other.message, again.message, again.revision, again.attempts]).toEqual([
      first.message,
      first.message,
      2,
      2,
    ]);
    expect(first.message).toMatch(/^msg_[0-9a-f]{30}$/u);
    const resolved = takenToResolve({ ...first, state: 'sent', reference: 'r' }, NOW);
    expect([resolved.message === first.message, resolved.attempts, resolved.reference]).toEqual([
      false,
      1,
      'r',
    ]);
  });

  test('Pauses grow fourfold up to an hour, by chance a quarter shorter or longer, and end with the tenth try.', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 9].map((attempts) => {
      const { state, at } = noteAfter(
        note({ attempts }),
        { type: 'failed', why: 'HTTP 503' },
        { now: 0, chance: 0.5 },
      );
      return state === 'waiting' ? Date.parse(at) / 1_000 : state;
    });
    expect(pauses).toEqual([5, 20, 80, 320, 1_280, 3_600, 3_600]);
    const at = (chance: number) => noteAfter(note(), { type: 'failed', why: '' }, { now: 0, chance }).at;
    expect([at(0), at(1)].map((text) => Date.parse(text))).toEqual([3_750, 6_250]);
    expect(
      noteAfter(note({ attempts: 10 }), { type: 'failed', why: 'HTTP 503' }, { now: 0, chance: 0 }),
    ).toMatchObject({
      state: 'left',
      why: 'HTTP 503',
    });
  });

  test('A receiver that asks for a pause gets it, and at most an hour.', () => {
    const pause = (pauseMs: number) =>
      Date.parse(noteAfter(note(), { type: 'failed', why: '', pauseMs }, { now: 0, chance: 0.5 }).at);
    expect([pause(1_000), pause(60_000), pause(1e9)]).toEqual([5_000, 60_000, 3_600_000]);
  });
});
