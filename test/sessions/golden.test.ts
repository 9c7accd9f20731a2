import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { encodeLine, NO_PREVIOUS } from '../../sessions/format/codec.js';
import { Seal } from '../../sessions/seal/record-seal.js';
import { transcriptText } from '../../sessions/index.js';
import type { SessionEvent, SessionId } from '../../src/core/index.js';
import { fold, openInterrupts, stateToJson } from '../../src/core/index.js';
import { said } from './sample-events.js';
import { temporaryStore } from './temporary-store.js';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/golden');
const golden = 'golden' as SessionId;

/** A copy of the session that a release of this format left behind. It is never made again: see sessions/README.md. */
function goldenStore(version: string): ReturnType<typeof temporaryStore> {
  const store = temporaryStore();
  cpSync(path.join(fixtures, version, 'golden'), path.join(store.root, golden), { recursive: true });
  return store;
}

function expected(version: string, name: string): string {
  return readFileSync(path.join(fixtures, version, name), 'utf8');
}

test('there is a golden session for each format', () => {
  expect(readdirSync(fixtures)).toEqual(expect.arrayContaining(['v1', 'v2']));
});

describe.for(readdirSync(fixtures).filter((name) => name.startsWith('v')))(
  'the golden session %s (F30)',
  (version) => {
    test('folds to the state that it had', async () => {
      await using session = await goldenStore(version).open(golden, 'read');
      expect(JSON.parse(JSON.stringify(stateToJson(session.state)))).toEqual(
        JSON.parse(expected(version, 'expected-state.json')),
      );
    });

    test('exports to the transcript that it had', async () => {
      await using session = await goldenStore(version).open(golden, 'read');
      expect(transcriptText(session)).toBe(expected(version, 'expected-transcript.json'));
    });

    test('folds at every one of its records (F30)', async () => {
      await using session = await goldenStore(version).open(golden, 'read');
      const events: SessionEvent[] = [];
      for await (const { event } of session.events()) {
        events.push(event);
        expect(() => fold(events)).not.toThrow();
      }
      expect(events).toHaveLength(session.version);
    });

    test('takes the answer that waits for it, and goes on', async () => {
      const store = goldenStore(version);
      const bytes = readFileSync(path.join(store.root, golden, 'journal.jsonl'));
      {
        await using session = await store.open(golden, 'write');
        const answer = await session.answers().take();
        expect(openInterrupts(session.state).map(({ id }) => id)).toEqual([answer?.id]);
        const resolvedAt = '2026-02-03T04:05:06.000Z';
        await session.append([{ type: 'interrupt-resolved', resolvedAt, ...answer! }, said('Thanks')]);
        expect(session.state.writer?.epoch).toBe(3);
      }
      expect(
        readFileSync(path.join(store.root, golden, 'journal.jsonl'))
          .subarray(0, bytes.length)
          .equals(bytes),
      ).toBe(true);
      expect(await store.capabilities.doctor.examine(golden)).toMatchObject({ status: 'ok', loose: [] });
    });
  },
);

test('a record of format 2 is written today byte for byte as it was, with the key that it was written with', async () => {
  const seal = new Seal(new Uint8Array(32).fill(7));
  await using session = await goldenStore('v2').open(golden, 'read');
  const lines: string[] = [];
  let chain = NO_PREVIOUS;
  for await (const stored of session.events()) {
    const before = chain;
    const encoded = encodeLine(stored, before, (body) =>
      seal.mac({ kind: 'journal', id: golden, before }, body),
    );
    chain = encoded.chain;
    lines.push(encoded.line.toString());
  }
  expect(lines.join('')).toBe(expected('v2', 'golden/journal.jsonl'));
});
