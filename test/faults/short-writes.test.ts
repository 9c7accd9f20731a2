// What half of a write leaves behind, seen at once: the next opening would mend it, and nothing has to be mended.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Answer, SessionId } from '../../src/core/index.js';
import { faultyFileSystem } from '../sessions/faulty-file-system.js';
import { agent, confirmation, said, transferTurn } from '../sessions/sample-events.js';
import { leave, temporaryStore } from '../sessions/temporary-store.js';

const id = 'one' as SessionId;
const SAVE_FAILED = { code: 'SAVE_FAILED' };

test('half a record is cut at once, and the same session goes on (G6, G7)', async () => {
  const fs = faultyFileSystem();
  const store = temporaryStore({ fs });
  await using session = await store.create({ agent, id });
  const journal = path.join(store.root, id, 'journal.jsonl');
  const before = readFileSync(journal, 'utf8');
  fs.fail(1, { type: 'short', errno: 'ENOSPC' });
  await expect(session.append([said('lost')])).rejects.toMatchObject(SAVE_FAILED);
  expect(readFileSync(journal, 'utf8')).toBe(before);
  fs.heal();
  await session.append([said('kept')]);
  expect(await store.capabilities.doctor.examine(id)).toMatchObject({ status: 'ok' });
});

test('half an answer is cut at once (G6, G7)', async () => {
  const fs = faultyFileSystem();
  const store = temporaryStore({ fs, lockHelpers: [() => 'locked'] });
  const { id: asked, digest } = confirmation('i1', 'a', { amount: 200 });
  const by = { type: 'person', name: 'ann', via: 'answer' } as const;
  const answer: Answer = { id: asked, digest, resolution: { action: 'cancel' }, by };
  {
    await using session = await store.create({ agent, id });
    await session.append(transferTurn().slice(0, 5));
  }
  const inbox = path.join(store.root, id, 'inbox.jsonl');
  const signal = AbortSignal.timeout(10_000);
  let failures = 0;
  for (let n = 1; ; n += 1) {
    fs.fail(n, { type: 'short', errno: 'ENOSPC' });
    const size = statSync(inbox, { throwIfNoEntry: false })?.size ?? 0;
    const posted = await leave(store, id, answer, signal).catch((error: unknown) => error);
    if (!fs.struck) break;
    if (!(posted instanceof Error)) continue; // the text in the lock is for showing only
    failures += 1;
    const left = statSync(inbox, { throwIfNoEntry: false })?.size ?? 0;
    expect(left === size || readFileSync(inbox, 'utf8').endsWith('\n')).toBe(true);
  }
  expect(failures).toBeGreaterThan(0);
});
