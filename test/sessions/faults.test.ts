import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import { createFileStore } from '../../sessions/index.js';
import type { Answer, SessionEvent, SessionId } from '../../src/core/index.js';
import { HitlError, isHitlError } from '../../src/core/index.js';
import type { Fault, FaultyFileSystem } from './faulty-file-system.js';
import { Crash, faultyFileSystem } from './faulty-file-system.js';
import { agent, confirmation, replied, said, transferTurn } from './sample-events.js';
import { heldOnce, temporaryFolder, tickingClock } from './temporary-store.js';

/** The kernel's lock goes with the process, and this one lives on: the dead would hold it. */
const noLock = { lockHelpers: [(): 'locked' => 'locked'] };

interface Run {
  readonly root: string;
  readonly fs: FaultyFileSystem;
  readonly store: FileStore;
  readonly id: SessionId;
  /** What was confirmed, in order. */
  readonly confirmed: SessionEvent[];
  readonly errors: unknown[];
}

function newRun(): Run {
  const root = path.join(temporaryFolder(), 'sessions');
  const fs = faultyFileSystem();
  const store = createFileStore({ root, fs, clock: tickingClock(), random: randomBytes, ...noLock });
  return { root, fs, store, id: 'one' as SessionId, confirmed: [], errors: [] };
}

/** A life of a session; every step is tried, also after others failed. */
async function live({ store, id, confirmed, errors }: Run): Promise<void> {
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  };
  const batches = [[said('one')], [replied('two')], [said('three'), replied('four')], [said('five')]];
  await attempt(async () => {
    await using session = await store.create({ agent, id });
    for (const batch of batches) {
      await attempt(async () => {
        await session.append(batch);
        confirmed.push(...batch);
      });
    }
    await attempt(() => session.saveTranscript());
  });
  await attempt(async () => {
    await using session = await store.open(id, 'write');
    const late = [said('six'), replied('seven'), said('eight')];
    await Promise.all(
      late.map((event) =>
        attempt(async () => {
          await session.append([event]);
          confirmed.push(event);
        }),
      ),
    );
  });
}

/** What a healthy process finds: everything that was confirmed, in order, and a session that goes on. */
async function audit({ root, id, confirmed }: Run): Promise<void> {
  const fs = faultyFileSystem();
  const store = createFileStore({ root, fs, clock: tickingClock(), random: randomBytes, ...noLock });
  if (confirmed.length === 0) {
    await store.remove(id).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });
    return;
  }
  const found: SessionEvent[] = [];
  {
    await using session = await store.open(id, 'write');
    for await (const { event } of session.events()) if (event.type === 'message-added') found.push(event);
    await session.append([said('goes on')]);
  }
  expect(found.filter((event) => includes(confirmed, event))).toEqual(confirmed);
  expect(await store.capabilities.doctor.examine(id)).toMatchObject({ status: 'ok' });
  expect(readdirSync(path.join(root, id)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
}

function includes(events: readonly SessionEvent[], event: SessionEvent): boolean {
  return events.some((other) => JSON.stringify(other) === JSON.stringify(event));
}

/** Lives once for every n until the fault strikes no more; returns how often it struck. */
async function atEveryOperation(fault: Fault, check: (run: Run) => void): Promise<number> {
  for (let n = 1; ; n += 1) {
    const run = newRun();
    run.fs.fail(n, fault);
    await live(run);
    const { struck } = run.fs;
    run.fs.heal();
    check(run);
    await audit(run);
    expect(run.fs.openFiles).toBe(0);
    if (!struck) return n - 1;
  }
}

describe('an operation on the disk that fails', () => {
  test.for(['ENOSPC', 'EIO', 'EACCES'])(
    'once with %s, at every place, loses nothing that was confirmed (G1, G6, F12)',
    async (errno) => {
      const places = await atEveryOperation({ type: 'error', errno, sticky: false }, ({ errors }) => {
        expect(errors.filter((error) => !isHitlError(error))).toEqual([]);
      });
      expect(places).toBeGreaterThan(30);
    },
  );

  test.for(['ENOSPC', 'EIO'])(
    'with %s from every place on loses nothing that was confirmed (G6, F10)',
    async (errno) => {
      const places = await atEveryOperation({ type: 'error', errno, sticky: true }, ({ errors }) => {
        expect(errors.filter((error) => !isHitlError(error))).toEqual([]);
      });
      expect(places).toBeGreaterThan(30);
    },
  );

  test('after half of a write, at every place, leaves no half record behind (G7, F11)', async () => {
    const places = await atEveryOperation({ type: 'short', errno: 'EFBIG' }, ({ errors }) => {
      expect(errors.filter((error) => !isHitlError(error))).toEqual([]);
    });
    expect(places).toBeGreaterThan(30);
  });

  test.for([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'your disk quota is exceeded'],
    ['EIO', 'the disk reported an error'],
    ['EROFS', 'the file system is read-only'],
    ['EFBIG', 'the file would be larger than the system allows'],
    ['EMFILE', 'this process has too many open files'],
    ['EACCES', 'you do not have permission to write there'],
  ] as const)('says %s as "%s" (G6)', async ([errno, why]) => {
    const { store, fs, id } = newRun();
    await using session = await store.create({ agent, id });
    fs.fail(1, { type: 'error', errno, sticky: false });
    const thrown: unknown = await session.append([said('x')]).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      code: 'SAVE_FAILED',
      message: `could not save session one: ${why}`,
      hint: expect.any(String),
      detail: { errno },
    });
  });
});

describe('the death of the process', () => {
  test.for(['before', 'after'] as const)(
    '%s every operation loses nothing that was confirmed (G1, F2)',
    async (when) => {
      const places = await atEveryOperation({ type: 'crash', when }, ({ errors }) => {
        const foreign = errors.filter((error) => !(error instanceof Crash) && !(error instanceof HitlError));
        expect(foreign).toEqual([]);
      });
      expect(places).toBeGreaterThan(30);
    },
  );

  test('with the power cut loses nothing that was confirmed (G1, F4)', async () => {
    const places = await atEveryOperation({ type: 'crash', when: 'after' }, ({ fs, root, id, errors }) => {
      expect(errors.filter((error) => !(error instanceof Crash) && !(error instanceof HitlError))).toEqual(
        [],
      );
      fs.cutPower(path.join(root, id, 'journal.jsonl'));
    });
    expect(places).toBeGreaterThan(30);
  });
});

describe('an answer that is posted', () => {
  const interrupt = confirmation('i1', 'a', { amount: 200 });
  const { id: asked, digest } = interrupt;
  const answer: Answer = {
    id: asked,
    digest,
    resolution: { action: 'cancel' },
    by: { type: 'person', name: 'ann', via: 'answer' },
  };

  test.for<Fault>([
    { type: 'error', errno: 'ENOSPC', sticky: false },
    { type: 'short', errno: 'EIO' },
    { type: 'crash', when: 'before' },
    { type: 'crash', when: 'after' },
  ])('and confirmed is there, whatever else fails: %j (G1, G6)', async (fault) => {
    for (let n = 1; ; n += 1) {
      const { fs, store, root, id } = newRun();
      {
        await using session = await store.create({ agent, id });
        await session.append(transferTurn().slice(0, 5));
      }
      fs.fail(n, fault);
      const signal = AbortSignal.timeout(10_000);
      const place = { root, clock: tickingClock(), random: randomBytes };
      const posted: unknown = await createFileStore({ ...place, fs, lockHelpers: heldOnce() })
        .post(id, answer, { signal })
        .catch((error: unknown) => error);
      if (fault.type !== 'crash' && posted instanceof Error) {
        expect(posted).toMatchObject({ code: expect.stringMatching(/^(SAVE_FAILED|SESSION_UNREADABLE)$/) });
      }
      const { struck } = fs;
      fs.heal();
      const healthy = createFileStore({ root, clock: tickingClock(), random: randomBytes, ...noLock });
      if (!(posted instanceof Error)) {
        await using session = await healthy.open(id, 'write');
        expect(await session.answers().take()).toEqual(answer);
      }
      const later: Answer = { ...answer, by: { type: 'rule', rule: 'later' } };
      await createFileStore({ ...place, lockHelpers: heldOnce() }).post(id, later, { signal });
      await using session = await healthy.open(id, 'write');
      expect(await session.answers().take()).toBeDefined();
      if (!struck) break;
    }
  });
});
