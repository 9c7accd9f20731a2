// What half of a write leaves behind, seen at once: the next opening would mend it, and nothing has to be mended.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Answer, SessionId } from '../../src/core/index.js';
import { isHitlError } from '../../src/core/index.js';
import { faultyFileSystem } from '../sessions/faulty-file-system.js';
import { agent, confirmation, said, transferTurn } from '../sessions/sample-events.js';
import { heldOnce, temporaryStore } from '../sessions/temporary-store.js';

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
  const store = temporaryStore();
  const { id: asked, digest } = confirmation('i1', 'a', { amount: 200 });
  const by = { type: 'person', name: 'ann', via: 'answer' } as const;
  const answer: Answer = { id: asked, digest, resolution: { action: 'cancel' }, by };
  const left: string[] = [];
  for (let n = 1; ; n += 1) {
    const session = `s${n}` as SessionId;
    {
      await using created = await store.create({ agent, id: session });
      await created.append(transferTurn().slice(0, 5));
    }
    const poster = temporaryStore({ root: store.root, fs, lockHelpers: heldOnce() });
    fs.fail(n, { type: 'short', errno: 'ENOSPC' });
    const signal = AbortSignal.timeout(10_000);
    const posted = await poster.post(session, answer, { signal }).catch((error: unknown) => error);
    const isStruck = fs.struck;
    fs.heal();
    if (!isStruck) break;
    const inbox = path.join(store.root, session, 'inbox.jsonl');
    if (isHitlError(posted) && existsSync(inbox)) left.push(readFileSync(inbox, 'utf8'));
  }
  expect(left.length).toBeGreaterThan(0);
  expect(left.filter((text) => text !== '' && !text.endsWith('\n'))).toEqual([]);
});
