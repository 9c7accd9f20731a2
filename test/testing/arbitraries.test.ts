import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { emptyState, fold, openInterrupts, transcriptMessages } from '../../src/core/index.js';
import { memoryJournal } from '../../src/testing/index.js';
import { inputs, plainMessages, sessionEvents, waitingSessions } from '../helpers/arbitraries.js';

describe('generated sessions', () => {
  test('fold, also any prefix of one', () => {
    fc.assert(
      fc.property(sessionEvents(), fc.nat(), (events, length) => {
        fold(events.slice(0, length), emptyState());
      }),
    );
  });

  test('survive JSON', async () => {
    await fc.assert(
      fc.asyncProperty(sessionEvents(20), async (events) => {
        const journal = memoryJournal();
        await journal.append(events);
        const read = JSON.parse(JSON.stringify(events));
        expect(read).toEqual(events);
        expect(transcriptMessages(fold(read))).toEqual(transcriptMessages(journal.state));
      }),
    );
  });

  test('reach every kind of event, of call and of interrupt', () => {
    const seen = new Set<string>();
    for (const events of fc.sample(sessionEvents(), { numRuns: 300, seed: 7 })) {
      for (const event of events) {
        seen.add(event.type);
        if (event.type === 'interrupt-raised') seen.add(event.interrupt.kind);
        if (event.type === 'interrupt-resolved') seen.add(event.resolution.action);
      }
      for (const { calls } of fold(events).entries)
        for (const call of calls ?? []) seen.add(`attempts ${call.attempts}`);
    }
    expect([...seen].sort()).toEqual(
      expect.arrayContaining([
        'action-chosen',
        'agent-changed',
        'attempts 0',
        'attempts 1',
        'attempts 2',
        'cancel',
        'confirmation',
        'error',
        'extend',
        'file-noted',
        'history-imported',
        'inbox-delivered',
        'inbox-dropped',
        'inbox-settled',
        'in-doubt',
        'interrupt-raised',
        'interrupt-resolved',
        'limit',
        'message-added',
        'model-started',
        'question',
        'reject',
        'respond',
        'restart',
        'retry',
        'rule-added',
        'rule-removed',
        'run-ended',
        'session-created',
        'session-opened',
        'tool-settled',
        'tool-started',
      ]),
    );
  });

  test('wait where they are to wait', () => {
    fc.assert(
      fc.property(waitingSessions(), (events) => {
        expect(openInterrupts(fold(events))).not.toHaveLength(0);
      }),
    );
  });
});

test('generated messages and inputs survive JSON', () => {
  fc.assert(
    fc.property(plainMessages(), inputs(), (message, input) => {
      expect(JSON.parse(JSON.stringify({ message, input }))).toEqual({ message, input });
    }),
  );
});
