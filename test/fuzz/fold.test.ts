// The fold: legal sessions, illegal ones, and events that only a later version knows.
import fc from 'fast-check';
import { expect } from 'vitest';

import { encodeLine } from '../../sessions/format/codec.js';
import type { RunState, SessionEvent } from '../../src/core/index.js';
import { emptyState, evolve, isHitlError, nodePath, stateToJson } from '../../src/core/index.js';
import { sessionEvents } from '../helpers/arbitraries.js';
import { fuzzTarget } from './fuzz.js';
import { journalOf, readJournal } from './journal-bytes.js';

/** A state, or the code of the error at the first event that does not fit. */
type Folded = { readonly state: RunState } | { readonly code: string };

function foldFrom(state: RunState, events: readonly SessionEvent[]): Folded {
  let folded = state;
  for (const event of events) {
    try {
      folded = evolve(folded, event);
    } catch (error) {
      if (!isHitlError(error)) throw error;
      return { code: error.code };
    }
  }
  return { state: folded };
}

function plain(folded: Folded): unknown {
  if ('code' in folded) return folded;
  return JSON.parse(JSON.stringify(stateToJson(folded.state)));
}

/** Events of two sessions in any order, some of them moved into a branch that is not there. */
function anyOrder(): fc.Arbitrary<readonly SessionEvent[]> {
  return fc
    .tuple(sessionEvents(25), sessionEvents(25), fc.array(fc.tuple(fc.nat(60), fc.nat(9)), { maxLength: 40 }))
    .map(([left, right, order]) => {
      const all = [...left, ...right];
      const shuffled = order.map(([index, scope]): SessionEvent => {
        const event = all[index % all.length]!;
        return scope === 0 ? { ...event, scope: nodePath('nowhere#1') } : event;
      });
      return [...left.slice(0, order.length % (left.length + 1)), ...shuffled];
    });
}

fuzzTarget('fold', {
  'is a state or a named error, whatever comes in whatever order': {
    runs: 150,
    property: () =>
      fc.property(anyOrder(), (events) => {
        const folded = foldFrom(emptyState(), events);
        if ('code' in folded) expect(folded.code).toBe('ILLEGAL_EVENT');
        return true;
      }),
  },
  'of a prefix, continued, is the fold of the whole': {
    property: () =>
      fc.property(fc.oneof(sessionEvents(), anyOrder()), fc.nat(), (events, cut) => {
        const at = cut % (events.length + 1);
        const whole = plain(foldFrom(emptyState(), events));
        const first = foldFrom(emptyState(), events.slice(0, at));
        expect(plain('code' in first ? first : foldFrom(first.state, events.slice(at)))).toEqual(whole);
        return true;
      }),
  },
  'has one result for each call at most, and one answer for each interrupt (G15, G16)': {
    property: () =>
      fc.property(fc.oneof(sessionEvents(), anyOrder()), (events) => {
        let state = emptyState();
        for (const event of events) {
          try {
            state = evolve(state, event);
          } catch {
            continue; // as if it had never been written
          }
        }
        const refs = state.view
          .toArray()
          .flatMap(({ content }) =>
            content.filter((part) => part.type === 'tool-response').map(({ ref }) => ref),
          );
        expect(new Set(refs).size).toBe(refs.length);
        const ids = state.resolved.toArray().map(({ interrupt }) => interrupt.id);
        expect(new Set(ids).size).toBe(ids.length);
        return true;
      }),
  },
  'stops before an event that only a later version knows, and keeps what is before it': {
    property: () =>
      fc.property(sessionEvents(15), fc.string({ minLength: 1 }), (events, type) => {
        const journal = journalOf(events);
        const { position, records } = readJournal(journal);
        const event = { type: `x-${type}` } as unknown as SessionEvent;
        const at = '2026-01-02T03:04:05.000Z';
        const record = { v: 2, seq: position.seq + 1, at, scope: nodePath(''), event } as const;
        const { line } = encodeLine(record, position.prev);
        const read = readJournal(Buffer.concat([journal, line]));
        expect(read).toMatchObject({ records, health: { status: 'newer' } });
        return true;
      }),
  },
});
