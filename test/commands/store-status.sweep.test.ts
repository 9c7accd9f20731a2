import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { unservedLines } from '../../commands/report/unserved-lines.js';
import { statusText, storeStatus } from '../../commands/store-status.js';
import type { Io } from '../../commands/host/index.js';
import { processIo } from '../../commands/host/index.js';
import { createFileStore } from '../../sessions/index.js';
import type { SqlDriver } from '../../sessions/postgres/index.js';
import { pgliteDriver } from '../../sessions/postgres/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import type { SessionStore } from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';
import { agent, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn } from '../postgres/databases.js';
import { openServer } from '../server/server-harness.js';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'hitl-status-'));
});

afterAll(() => {
  rmSync(root, { recursive: true });
});

const LIBRARY = { ...agent, modules: ['/srv/deploy.ts'] };

/** Two questions, and a session to go on with that needs `deploy.ts`. */
async function fill(store: SessionStore): Promise<void> {
  for (const events of [transferTurn().slice(0, 5), transferTurn().slice(0, 5), transferTurn().slice(0, 4)]) {
    await using session = await store.create({ agent: LIBRARY, events });
    expect(session.version).toBeGreaterThan(0);
  }
}

/** What the command prints. */
async function printed(): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY: false });
  const io = {
    ...processIo(),
    env: { HITL_HOME: root, HITL_SESSIONS: join(root, 'sessions') },
    stdout,
  } as unknown as Io;
  expect(await storeStatus(io, { color: false, input: false })).toBe(0);
  return String(stdout.read());
}

test('`hitl store status` tells of a folder what its list says (F2)', async () => {
  const random = (size: number): Uint8Array => Buffer.alloc(size, Math.floor(Math.random() * 256));
  const store = createFileStore({ root: join(root, 'sessions'), clock: systemClock, random });
  await fill(store);
  expect((await printed()).replace(/\d+ \w+ ago/u, '<age>')).toBe(
    [
      `store     ${join(root, 'sessions')}`,
      'sessions  2 waiting, 1 interrupted',
      'open      2 confirmation (oldest <age>)',
      'due now   none',
      '',
    ].join('\n'),
  );
});

describe.skipIf(!hasDatabases)('a store in PostgreSQL (`npm run tools` installs it)', () => {
  let driver: SqlDriver;

  beforeAll(async () => {
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    driver = pgliteDriver(await createPglite());
  });

  afterAll(() => driver.close());

  test('tells its status, and what nobody here can run, to people and to /readyz (F2)', async () => {
    const store = storeOn(driver, 'status', systemClock);
    await fill(store);
    const { status, workers } = store.capabilities;
    const none = { sessions: 1, oldest: expect.any(String) };
    const open = [{ kind: 'confirmation', questions: 2, oldest: '2026-01-02T03:04:06.000Z' }];
    const schema = { version: expect.any(Number), readsFrom: expect.any(Number) };
    const failing = { sessions: 0, first: [] };
    const still = { sessions: { waiting: 2, interrupted: 1 }, open, due: none, failing, schema };
    expect(await status?.()).toEqual({ ...still, unserved: [], workers: [], clockAheadMs: 0 });
    expect(await unservedLines(store)).toEqual([]);

    const [row] = await driver.query(
      `select needs from hitl_session where space = 'status' and due_at is not null`,
    );
    const lack = { needs: String(row?.['needs']), why: 'cannot read \u{1b}[31m' };
    const stop = new AbortController();
    const said = { program: 'hitl 1', slots: 2, busy: 0, lacks: [lack] };
    const announcing = workers?.announce(() => said, stop.signal);
    await expect.poll(() => workers?.alive()).toHaveLength(1);
    const unserved = [{ ...lack, sessions: 1 }];
    const [alive] = (await workers?.alive()) ?? [];
    expect(alive).toMatchObject({ ...said, host: hostname(), pid: process.pid, held: 0 });
    expect(await status?.()).toEqual({ ...still, unserved, workers: [alive], clockAheadMs: 0 });
    expect(await unservedLines(store)).toEqual(['no worker can run 1 session: needs deploy.ts']);
    const { api } = await openServer({ store });
    const ready = await api('/readyz', { headers: { authorization: '' } });
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\nsessions that no worker can run: 1\n']);
    stop.abort();
    await announcing;
  });
});

test('what foreign rows hold is shown on lines of their own, escaped and short (F2)', () => {
  const now = Date.parse('2026-01-02T06:00:00.000Z');
  const hostile = `deploy.ts@3 \u{1b}[31m\n${'x'.repeat(500)}`;
  const lack = { needs: `0123456789abcdef ${hostile}`, why: hostile };
  const worker = {
    ...{ number: 1, host: hostile, pid: 7, program: 'hitl 1', slots: 4, busy: 3, held: 3, lacks: [lack] },
    ...{ startedAt: '2026-01-02T03:00:00.000Z', seenAt: '2026-01-02T05:59:58.000Z' },
  };
  const text = statusText(
    'postgres://db/hitl',
    {
      sessions: { done: 10_000, waiting: 14, unreadable: 1 },
      open: [{ kind: 'confirmation', questions: 12, oldest: '2026-01-02T03:00:00.000Z' }],
      due: { sessions: 4, oldest: '2026-01-02T05:00:00.000Z' },
      failing: {
        sessions: 3,
        first: [
          { session: checkSessionId('01kb0000000000000'), title: '', attempts: 6, again: now, why: hostile },
        ],
      },
      unserved: [{ ...lack, sessions: 1_001 }],
      workers: [worker],
      schema: { version: 5, readsFrom: 3 },
      clockAheadMs: -600_000,
    },
    now,
  );
  const words = 'deploy.ts@3 \\u{1B}[31m\\n';
  expect(text.replaceAll(/x+…?/gu, 'x…').split('\n')).toEqual([
    'store     postgres://db/hitl',
    'schema    5 (readable by version 3 or later)',
    'clock     this machine’s clock is 10 min behind the database',
    'sessions  14 waiting, 10000 or more done, 1 unreadable',
    'open      12 confirmation (oldest 3 h ago)',
    'due now   4 sessions (oldest 1 h ago)',
    `failing   01kb0000000000000 after 6 attempts: ${words}x…`,
    'failing   2 more',
    `unserved  more than 1000 sessions: needs ${words}x… (${words}x…)`,
    `worker    ${words}x…, pid 7: 3 of 4 slots, seen just now, cannot run 1 kind of session`,
    '',
  ]);
});
