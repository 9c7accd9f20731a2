import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { ReviewCount } from '../../commands/report/review-count.js';
import { keepMarks, markOf } from '../../commands/report/review-marks.js';
import { createMemoryStore } from '../../sessions/index.js';
import type { Session, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { eventsOf } from '../../src/repl/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { modelSaid, requestPart, toolSettled, toolStarted, userSaid } from '../helpers/events.js';
import { agent } from '../sessions/sample-events.js';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hitl-count-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const clock = fakeClock();
const io = () => ({ env: { HITL_HOME: home }, home, clock });

let refs = 0;
/** Calls of a turn that nobody was asked about; `read_file` could only read. */
function ran(...names: readonly string[]): readonly SessionEvent[] {
  const calls = names.map((name) => ({ name, ref: `r${(refs += 1)}` }));
  return [
    userSaid('go'),
    modelSaid(calls.map(({ name, ref }) => requestPart(name, ref))),
    ...calls.flatMap(({ name, ref }) => [
      toolStarted(name, ref, { effect: name === 'read_file' ? 'none' : 'once' }),
      toolSettled(ref, 1),
    ]),
    modelSaid([{ type: 'text', text: 'Done.' }]),
  ];
}
const ended: SessionEvent = { type: 'run-ended', reason: { type: 'done' } };

async function session(): Promise<Session> {
  const random = (size: number): Uint8Array => new Uint8Array(size);
  return createMemoryStore({ clock, random }).create({ agent });
}

test('counts what ran before and what runs from now on, without reading anything twice', async () => {
  await using one = await session();
  await one.append(ran('pay', 'read_file', 'pay'));
  let reads = 0;
  const counted: Pick<Session, 'id' | 'events' | 'onAppended'> = {
    id: one.id,
    onAppended: (listener) => one.onAppended(listener),
    events: () => {
      reads += 1;
      return one.events();
    },
  };
  let changes = 0;
  using count = new ReviewCount({ io: io(), session: counted, changed: () => void (changes += 1) });
  expect(count.calls).toBe(0);
  await count.refresh();
  expect([count.calls, changes, reads]).toEqual([2, 1, 1]);
  await one.append(ran('pay', 'read_file'));
  expect(count.calls).toBe(3);
  await one.append([ended]);
  await count.refresh();
  expect([count.calls, changes, reads]).toEqual([3, 1, 1]);
});

test('counts what comes while it reads once, and in order', async () => {
  await using one = await session();
  await one.append(ran('pay'));
  const before = await eventsOf(one);
  const waiting = {
    id: one.id,
    onAppended: (listener: Parameters<Session['onAppended']>[0]) => one.onAppended(listener),
    async *events(): AsyncIterable<StoredEvent> {
      yield* before.slice(0, 3);
      await one.append(ran('pay', 'pay'));
      yield* before.slice(3);
      // What was just appended may be read here, too.
      yield* (await eventsOf(one)).slice(before.length, before.length + 4);
    },
  };
  using count = new ReviewCount({ io: io(), session: waiting, changed: () => undefined });
  await count.refresh();
  expect(count.calls).toBe(3);
});

test('leaves out what was marked as seen, also by somebody else while it counts', async () => {
  await using one = await session();
  await one.append(ran('pay', 'pay'));
  const last = (await eventsOf(one)).at(-1);
  if (last === undefined) throw new Error('no events');
  let changed = (): void => undefined;
  using count = new ReviewCount({
    io: io(),
    session: one,
    changed: () => {
      changed();
    },
  });
  await count.refresh();
  expect(count.calls).toBe(2);
  await keepMarks(io(), new Map([[one.id, markOf(last, last.at)]]));
  await count.refresh();
  expect(count.calls).toBe(0);
  await one.append(ran('pay'));
  expect(count.calls).toBe(1);
  const now = (await eventsOf(one)).at(-1) ?? last;
  await keepMarks(io(), new Map([[one.id, markOf(now, now.at)]]));
  const looked = new Promise<void>((resolve) => {
    changed = resolve;
  });
  await one.append([ended]); // where a turn ends it looks again
  await looked;
  expect(count.calls).toBe(0);
  await keepMarks(io(), new Map([[one.id, { ...markOf(now, now.at), digest: 'of another history' }]]));
  await count.refresh();
  expect(count.calls).toBe(3);
});

test('lets keys be handled while it reads a long session', async () => {
  await using one = await session();
  for (let turn = 0; turn < 20; turn += 1) await one.append(ran('pay', 'pay', 'pay', 'pay'));
  const slow = {
    id: one.id,
    onAppended: () => () => undefined,
    async *events(): AsyncIterable<StoredEvent> {
      for await (const stored of one.events()) {
        await clock.advance(5); // as long as an event takes
        yield stored;
      }
    },
  };
  let keys = 0;
  const read = new AbortController();
  using count = new ReviewCount({
    ...{ io: io(), session: slow },
    changed: () => {
      read.abort();
    },
  });
  while (!read.signal.aborted) {
    await breath();
    keys += 1;
  }
  expect([count.calls, keys > 50]).toEqual([80, true]);
});

test('shows no number where the events cannot be read', async () => {
  await using one = await session();
  const damaged = {
    id: one.id,
    onAppended: (listener: Parameters<Session['onAppended']>[0]) => one.onAppended(listener),
    async *events(): AsyncIterable<StoredEvent> {
      yield* (await eventsOf(one)).slice(0, 1);
      throw new Error('it is damaged');
    },
  };
  using count = new ReviewCount({ io: io(), session: damaged, changed: () => undefined });
  await count.refresh();
  await one.append(ran('pay'));
  expect(count.calls).toBe(0);
});
