// The reader of journals, given whatever a disk or a person can make of one.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { expect } from 'vitest';

import { isHitlError } from '../../src/core/index.js';
import { sessionEvents } from '../helpers/arbitraries.js';
import { faultyFileSystem } from '../sessions/faulty-file-system.js';
import { agent, transferTurn } from '../sessions/sample-events.js';
import { temporaryStore } from '../sessions/temporary-store.js';
import { fuzzTarget } from './fuzz.js';
import { journalOf, readJournal, spoils } from './journal-bytes.js';

const STATUSES = ['ok', 'torn', 'damaged'];

/** What of a journal was written by somebody: its own records, or those of the other one. */
function isPrefix(records: readonly string[], ...truths: readonly (readonly string[])[]): boolean {
  return truths.some((truth) => records.every((record, index) => record === truth[index]));
}

fuzzTarget('journal-reader', {
  'gives a prefix of what was written, says what is wrong, and reads a byte at most four times (G3, G4)': {
    property: () =>
      fc.property(sessionEvents(25), sessionEvents(10), spoils(), (events, others, spoil) => {
        const [journal, other] = [journalOf(events), journalOf(others)];
        const bytes = spoil(journal, other);
        const read = readJournal(bytes);
        expect(STATUSES).toContain(read.health.status);
        expect(isPrefix(read.records, readJournal(journal).records, readJournal(other).records)).toBe(true);
        expect(read.bytesRead).toBeLessThanOrEqual(4 * bytes.length);
        expect(readJournal(bytes)).toEqual(read);
        const good = bytes.subarray(0, read.position.length);
        expect(readJournal(good)).toMatchObject({ records: read.records, health: { status: 'ok' } });
        return true;
      }),
  },
  'on disk: a torn end is cut once, damage is left alone, and what is read stays the same (G3, G4, G32)': {
    runs: 60,
    property: async () => {
      const store = temporaryStore({ fs: faultyFileSystem(), lockHelpers: [() => 'locked'] });
      const session = await store.create({ agent });
      await session.append([...transferTurn(), ...transferTurn('b', 'i2')]);
      await session[Symbol.asyncDispose]();
      const file = path.join(store.root, session.id, 'journal.jsonl');
      const whole = readFileSync(file);
      return fc.asyncProperty(spoils(), async (spoil) => {
        const bytes = spoil(whole, whole);
        writeFileSync(file, bytes, { mode: 0o600 });
        const { records, health, position } = readJournal(bytes);
        const isLost = health.status === 'damaged' || records.length === 0; // its transcript is there
        const open = async (): Promise<number | string> => {
          try {
            await using opened = await store.open(session.id, 'write');
            return opened.version;
          } catch (error) {
            return isHitlError(error) ? error.code : String(error);
          }
        };
        const first = await open();
        if (isLost) {
          expect(first).toBe('SESSION_DAMAGED');
          expect(readFileSync(file).equals(bytes)).toBe(true);
        } else {
          expect(first).toBe(records.length);
          const left = readFileSync(file);
          expect(left.subarray(0, position.length).equals(bytes.subarray(0, position.length))).toBe(true);
          expect(readJournal(left)).toMatchObject({ records, health: { status: 'ok' } });
          expect(await open()).toBe(first);
          expect(readFileSync(file).equals(left)).toBe(true);
        }
        return true;
      });
    },
  },
});
