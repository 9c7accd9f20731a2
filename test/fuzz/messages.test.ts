// What a model is sent, from any prefix of any session and from histories that somebody else made.
import fc from 'fast-check';
import { expect } from 'vitest';

import { checkRequest } from '../../src/models/anthropic/request/check-support.js';
import type { JsonValue, Message } from '../../src/core/index.js';
import {
  checkMessages,
  emptyState,
  evolve,
  fold,
  hasLoneSurrogate,
  maskText,
  mendedView,
} from '../../src/core/index.js';
import { anthropicBody } from '../../src/models/index.js';
import { sessionEvents } from '../helpers/arbitraries.js';
import { fuzzTarget } from './fuzz.js';

/** Histories of sessions that lost results and whole tool messages, got empty ones, and end anywhere. */
function damagedHistories(): fc.Arbitrary<readonly Message[]> {
  const damage = fc.record({ drop: fc.nat(5), empty: fc.nat(9) });
  return fc.tuple(sessionEvents(), fc.array(damage, { minLength: 1 }), fc.nat()).map(([events, all, end]) => {
    const history = fold(events)
      .entries.toArray()
      .flatMap(({ message }, index): readonly Message[] => {
        const { drop, empty } = all[index % all.length]!;
        const content = message.content.filter(
          ({ type }, place) => type !== 'tool-response' || (drop + place) % 3 !== 0,
        );
        const damaged: Message = { ...message, content };
        if (drop === 0 && message.role === 'tool') return [];
        return empty === 0 ? [damaged, { role: 'model', content: [] }] : [damaged];
      });
    return history.slice(0, 1 + (end % Math.max(1, history.length)));
  });
}

function problemsOf(messages: readonly Message[]): readonly unknown[] {
  return messages[0]?.role === 'user' ? checkMessages(messages) : [];
}

function isSound(value: JsonValue): boolean {
  return !hasLoneSurrogate(value);
}

fuzzTarget('messages', {
  'of any prefix of a session are ones that a model takes, and always the same (G19)': {
    property: () =>
      fc.property(sessionEvents(), (events) => {
        let state = emptyState();
        for (const [index, event] of events.entries()) {
          state = evolve(state, event);
          const sent = state.view.toArray();
          expect(problemsOf(sent)).toEqual([]);
          expect(sent.every((message) => isSound(JSON.parse(JSON.stringify(message))))).toBe(true);
          if (index < events.length - 1) continue;
          expect(fold(events).view.toArray()).toEqual(sent);
          if (sent[0]?.role !== 'user') continue;
          const body = anthropicBody({ messages: state.view, tools: [] }, 'claude-test');
          expect(checkRequest(body)).toEqual([]);
        }
        return true;
      }),
  },
  'of histories that lost results are mended in the view, once and for all (G21, G22)': {
    runs: 150,
    property: () =>
      fc.property(damagedHistories(), (messages) => {
        const sent = [...mendedView(messages)];
        expect(problemsOf(sent)).toEqual([]);
        expect([...mendedView(sent)]).toEqual(sent);
        return true;
      }),
  },
  'stay valid in whatever happens after such a history was taken over (G22)': {
    property: () =>
      fc.property(damagedHistories(), sessionEvents(12), (messages, events) => {
        const [created, ...rest] = events.filter(({ type }) => type !== 'history-imported');
        let state = fold([created!, { type: 'history-imported', messages }]);
        for (const event of rest) {
          try {
            state = evolve(state, event);
          } catch {
            break; // a ref of the history comes again, which is not legal
          }
          expect(problemsOf(state.view.toArray())).toEqual([]);
        }
        return true;
      }),
  },
  'of which secrets were masked hold no shape of a key any more (G33)': {
    runs: 150,
    property: () => {
      const key = fc.tuple(
        fc.constantFrom(
          'sk-ant-',
          'sk-',
          'ghp_',
          'AKIA',
          'AIza',
          'xoxb-',
          'npm_',
          'hf_',
          'glpat-',
          'sk_live_',
        ),
        fc.string({
          unit: fc.constantFrom(...Array.from('ABCDEFGHIJ0123456789')),
          minLength: 16,
          maxLength: 40,
        }),
      );
      const pieces = fc.array(
        fc.oneof(
          fc.string(),
          key.map((parts) => parts.join('')),
        ),
        { maxLength: 6 },
      );
      return fc.property(pieces, (texts) => {
        const { value } = maskText(texts.join(' '));
        expect(maskText(value)).toEqual({ value, count: 0 });
        return true;
      });
    },
  },
});
