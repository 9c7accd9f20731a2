import { describe, expect, test } from 'vitest';

import type { SessionEvent } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import type { CrashPoint } from '../../src/testing/index.js';
import { crashJournal, isCrash, memoryJournal } from '../../src/testing/index.js';

function said(text: string): SessionEvent {
  return { type: 'message-added', message: { role: 'user', content: [{ type: 'text', text }] } };
}

const [a, b, c] = [said('a'), said('b'), said('c')];

describe('a journal in memory', () => {
  test('keeps events in order and folds them', async () => {
    const journal = memoryJournal([a]);
    await journal.append([b, c]);
    expect(journal.events).toEqual([a, b, c]);
    expect(journal.state.turns).toBe(3);
  });

  test('refuses what does not fit, as a session does, and keeps what came before it', async () => {
    const journal = memoryJournal();
    const bad: SessionEvent = { type: 'message-added', message: { role: 'tool', content: [] } };
    await expect(journal.append([a, bad, b])).rejects.toMatchObject({ code: 'ILLEGAL_EVENT' });
    expect(journal.events).toEqual([a]);
  });

  test('is not changed by whoever holds an event', async () => {
    const journal = memoryJournal();
    const content = [{ type: 'text' as const, text: 'a' }];
    await journal.append([{ type: 'message-added', message: { role: 'user', content } }]);
    content[0]!.text = 'changed';
    expect(journal.events).toEqual([a]);
  });
});

describe('a journal that crashes', () => {
  test.for<[CrashPoint, number]>([
    [{ at: 1, when: 'before' }, 0],
    [{ at: 1, when: 'after' }, 1],
    [{ at: 2, when: 'before' }, 1],
    [{ at: 2, when: 'after' }, 2],
    [{ at: 3, when: 'before' }, 2],
    [{ at: 3, when: 'after' }, 3],
  ])('saves what came before the crash: %j', async ([point, saved]) => {
    for (const batches of [[[a], [b], [c]], [[a, b, c]], [[a], [b, c]], [[a, b], [c]]]) {
      const memory = memoryJournal();
      const journal = crashJournal(memory, point);
      const write = async () => {
        for (const batch of batches) await journal.append(batch);
      };
      await expect(write()).rejects.toSatisfy(isCrash);
      expect(memory.events).toEqual([a, b, c].slice(0, saved));
    }
  });

  test('is dead from then on', async () => {
    const memory = memoryJournal();
    const journal = crashJournal(memory, { at: 1, when: 'after' });
    await expect(journal.append([a])).rejects.toThrow('crash after event 1');
    await expect(journal.append([b])).rejects.toSatisfy(isCrash);
    await expect(journal.append([])).rejects.toSatisfy(isCrash);
    expect(memory.events).toEqual([a]);
  });

  test('does not crash where the events do not get there', async () => {
    const memory = memoryJournal();
    await crashJournal(memory, { at: 4, when: 'before' }).append([a, b, c]);
    expect(memory.events).toEqual([a, b, c]);
  });

  test('is told from other errors', () => {
    expect(isCrash(new HitlError('SAVE_FAILED', 'disk full'))).toBe(false);
    expect(isCrash(new Error('crash'))).toBe(false);
  });
});
