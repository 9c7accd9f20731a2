import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import { pgDriver, pgliteDriver } from '../../sessions/postgres/index.js';
import type { DeliveryNote, SessionId, SessionStore } from '../../src/core/index.js';
import { noteAfter, takenToRaise } from '../../src/core/index.js';
import type { Channel, Message } from '../../src/outgoing/index.js';
import { deliverOnce } from '../../src/outgoing/index.js';
import { forgetStrays } from '../../src/outgoing/tidy.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { briefClock, hasDatabases, storeOn, withServer } from './databases.js';

const QUESTION = confirmation('i1', 'a', { amount: 200 });
const FEW = 30;
const MANY = 300;
const WEEK_MS = 7 * 86_400_000;

async function asking(store: SessionStore): Promise<SessionId> {
  await using session = await store.create({ agent, events: transferTurn().slice(0, 5) });
  return session.id;
}

async function answer(store: SessionStore, session: SessionId): Promise<void> {
  const { id, digest } = QUESTION;
  const by = { type: 'person', name: 'ann', via: 'library' } as const;
  expect(await store.post(session, { id, digest, resolution: { action: 'restart' }, by })).toMatchObject({
    type: 'recorded',
  });
}

/** A receiver that keeps what it is told: `<event> <session>`. */
function receiver(over: Partial<Channel> = {}) {
  const heard: string[] = [];
  const send = ({ event, item }: Message) => {
    heard.push(`${event.slice('interrupt.'.length)} ${item.session}`);
    return Promise.resolve({ type: 'sent' } as const);
  };
  return { name: 'ops', tellsResolved: true, send, ...over, heard };
}

async function notesOf(store: SessionStore): Promise<readonly DeliveryNote[]> {
  const notes: DeliveryNote[] = [];
  for await (const note of store.capabilities.deliveries?.list() ?? []) notes.push(note);
  return notes;
}

async function first<Item>(items: AsyncIterable<Item> | undefined): Promise<Item | undefined> {
  for await (const item of items ?? []) return item;
  return undefined;
}

/** Statements that make a session a number of times. */
function copies(space: string, from: SessionId, name: string, times = 1): readonly string[] {
  const columns =
    'space, packing, version, prev, fence, status, title, words, turns, waiting, created_at, updated_at';
  const id = times === 1 ? `'${name}'` : `'${name}' || lpad(i::text, 15, '0')`;
  const both = `from hitl_session f join hitl_session s on s.space = f.space and s.id like '${name}%' and s.sid > f.sid`;
  const one = `where f.space = '${space}' and f.id = '${from}'`;
  return [
    `insert into hitl_session (id, ${columns}) select ${id}, ${columns}
     from hitl_session f, generate_series(1, ${times}) i ${one}`,
    `insert into hitl_event (sid, seq, line, resolves, packed, cut)
     select s.sid, e.seq, e.line, e.resolves, e.packed, e.cut
     ${both} join hitl_event e on e.sid = f.sid ${one}`,
    `insert into hitl_open (sid, interrupt, number, space, session, kind, tool, raised_at, body, packed, digest)
     select s.sid, o.interrupt, o.number, o.space, s.id, o.kind, o.tool, o.raised_at, o.body, o.packed, o.digest
     ${both} join hitl_open o on o.sid = f.sid ${one}`,
  ];
}

describe.skipIf(!hasDatabases)('what is told of many questions (`npm run tools` installs it)', () => {
  let database: TestServer;
  let driver: SqlDriver;
  let spaces = 0;

  withServer((server, drive) => {
    database = server;
    driver = drive();
  });

  /** A store in a space of its own, what reads it, and the rows that it was given but for those of its version. */
  function place(connection: SqlDriver = driver, space = `case ${(spaces += 1)}`) {
    let rows = 0;
    const counting: SqlDriver = {
      ...connection,
      query: async (...given) => {
        const found = await connection.query(...given);
        if (!given[0].includes('hitl_version')) rows += found.length; // asked each few seconds
        return found;
      },
    };
    const clock = briefClock();
    const store = storeOn(counting, space, clock);
    onTestFinished(() => store.close());
    const world = { store, clock, random: () => 0.5 };
    return {
      ...world,
      space,
      tell: (channel: Channel) => deliverOnce(world, channel),
      /** The rows that something reads. */
      async rowsOf(act: () => Promise<unknown>): Promise<number> {
        rows = 0;
        await act();
        return rows;
      },
    };
  }

  /** Makes a session waiting in a space so many times. */
  async function multiply(space: string, first: SessionId, times: number): Promise<void> {
    for (const text of copies(space, first, `c`, times)) await driver.query(text);
  }

  /** Puts a note as version 0.2.0 does, which knows of no other column. */
  async function noted(space: string, note: DeliveryNote): Promise<void> {
    await driver.query(
      `insert into hitl_delivery (space, key, revision, body) values ($1, $2, $3, $4)
       on conflict (space, key) do update set revision = excluded.revision, body = excluded.body`,
      [space, note.key, note.revision, JSON.stringify(note)],
    );
  }

  async function idsIn(space: string): Promise<readonly SessionId[]> {
    const rows = await driver.query('select id from hitl_session where space = $1 order by id', [space]);
    return rows.map(({ id }) => id as SessionId);
  }

  test('R8: telling of five answers reads what it tells, however many questions wait', async () => {
    const read: number[] = [];
    for (const times of [FEW, MANY]) {
      const { store, tell, space, rowsOf } = place();
      await multiply(space, await asking(store), times);
      const channel = receiver();
      await tell(channel);
      expect([...channel.heard].sort()).toEqual((await idsIn(space)).map((id) => `raised ${id}`));
      await tell(channel);
      const answered = (await idsIn(space)).slice(0, 5);
      for (const id of answered) await answer(store, id);
      channel.heard.length = 0;
      read.push(
        await rowsOf(async () => {
          await tell(channel);
          await tell(channel);
        }),
      );
      expect([...channel.heard].sort()).toEqual(answered.map((id) => `resolved ${id}`));
      expect((await notesOf(store)).length).toBe(times + 1 - 5);
    }
    expect(read[1]).toBe(read[0]);
    expect(read[0]).toBeLessThan(100);
  });

  test('B1: a question whose transaction ends late is told, though later ones were told before', async () => {
    const { store, tell, space } = place();
    const channel = receiver();
    const first = await asking(store);
    await tell(channel);
    let began = (): void => undefined;
    let end = (): void => undefined;
    const isUnderWay = new Promise<void>((resolve) => {
      began = resolve;
    });
    const mayEnd = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow = driver.transaction(async (sql) => {
      for (const text of copies(space, first, 'slow')) await sql.query(text);
      began();
      await mayEnd;
    });
    await isUnderWay;
    const later = [await asking(store), await asking(store)];
    await tell(channel);
    await tell(channel);
    end();
    await slow;
    await tell(channel);
    await tell(channel);
    expect(channel.heard).toEqual([first, ...later, 'slow'].map((id) => `raised ${id}`));
  });

  test('O1: of several processes one tells of each question, and of each answer', async () => {
    const { pg } = await import('../../tools/servers/server.mjs');
    const space = `case ${(spaces += 1)}`;
    const connections = [1, 2, 3].map(() => pgDriver(pg, database.url));
    onTestFinished(async () => {
      for (const each of connections) await each.close();
    });
    const processes = connections.map((connection) => place(connection, space));
    const channels = [receiver(), receiver({ name: 'chat' })];
    const looks = () =>
      Promise.all(
        processes.flatMap(({ tell }) => channels.map((channel) => tell(channel).then(() => tell(channel)))),
      );
    const ids: SessionId[] = [];
    for (let round = 0; round < 4; round += 1) {
      const asked = Promise.all(processes.map(({ store }) => asking(store)));
      await looks();
      ids.push(...(await asked));
    }
    await looks();
    const answered = ids.slice(0, 6);
    const answers = Promise.all(
      answered.map((id, index) => answer(processes[index % 3]?.store ?? processes[0]!.store, id)),
    );
    await looks();
    await answers;
    await looks();
    const told = [...ids.map((id) => `raised ${id}`), ...answered.map((id) => `resolved ${id}`)].sort();
    for (const { heard } of channels) expect([...heard].sort()).toEqual(told);
  });

  test('O1: what was sent and not noted is sent again once its time is over', async () => {
    const { store, clock, tell } = place();
    const id = await asking(store);
    const book = store.capabilities.deliveries;
    const { waiting = [] } = (await first(book?.due({ name: 'ops' }, clock.now()))) ?? {};
    const [item] = waiting;
    if (book === undefined || item === undefined) throw new Error('nothing is due');
    const taken = takenToRaise(item, 'ops', { was: undefined, now: clock.now() });
    expect(await book.put(taken)).toBe(true);
    const channel = receiver();
    expect(await tell(channel)).toBe(Date.parse(taken.at));
    expect(channel.heard).toEqual([]);
    const over = { ...clock, now: () => Date.parse(taken.at) };
    await deliverOnce({ store, clock: over, random: () => 0.5 }, channel);
    expect(channel.heard).toEqual([`raised ${id}`]);
    expect(await notesOf(store)).toMatchObject([{ message: taken.message, state: 'sent', attempts: 2 }]);
  });

  test.each([
    ['noted first', false],
    ['noted again', true],
  ])(
    'B2: a question that is resolved while it is %s leaves a note that is looked at',
    async (_title, isThere) => {
      const { store, clock, tell, space } = place();
      const id = await asking(store);
      const book = store.capabilities.deliveries;
      if (book === undefined) throw new Error('nothing is noted');
      const item = { session: id, title: '', interrupt: QUESTION };
      const note = takenToRaise(item, 'ops', { was: undefined, now: clock.now() });
      const sent = noteAfter(note, { type: 'sent' }, { now: clock.now(), chance: 0 });
      if (isThere) await book.put(note);
      let put = Promise.resolve(false);
      await driver.transaction(async (sql) => {
        await sql.query('delete from hitl_open where space = $1', [space]);
        put = book.put(isThere ? sent : note);
        const waiter = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'with q as%'`;
        await expect.poll(async () => (await driver.query(waiter)).length).toBe(1);
      });
      expect(await put).toBe(true);
      if (!isThere) expect(await book.put(sent)).toBe(true);
      expect(await first(book.due({ name: 'ops' }, clock.now()))).toEqual({ notes: [sent], waiting: [] });
      await tell(receiver());
      expect(await notesOf(store)).toEqual([]);
    },
  );

  test('B3: what version 0.2.0 told is not told again, is looked at once, and its answer is told', async () => {
    const { store, clock, tell, space, rowsOf } = place();
    const ids = [await asking(store), await asking(store)];
    for (const session of ids) {
      const item = { session, title: '', interrupt: QUESTION };
      const note = takenToRaise(item, 'ops', { was: undefined, now: clock.now() });
      await noted(space, note);
      await noted(space, noteAfter(note, { type: 'sent' }, { now: clock.now(), chance: 0 }));
    }
    const channel = receiver();
    await tell(channel);
    expect(channel.heard).toEqual([]);
    expect(await rowsOf(() => tell(channel))).toBe(1);
    const answered = await asking(store);
    await tell(channel);
    for (const id of [...ids, answered]) await answer(store, id);
    await tell(channel);
    expect(channel.heard.slice(1).sort()).toEqual([...ids, answered].map((id) => `resolved ${id}`).sort());
    expect(await notesOf(store)).toEqual([]);
  });

  test('B4: a database that was restored in another server tells what is new, and nothing twice', async () => {
    const { store, tell, space } = place();
    const channel = receiver();
    const ids = [await asking(store)];
    await tell(channel);
    await driver.query(
      `update hitl_told set history = 'another', seen = '900000000:900000000:'::pg_snapshot where space = $1`,
      [space],
    );
    await driver.query(`update hitl_open set asked_in = '900000000' where space = $1`, [space]);
    ids.push(await asking(store));
    await tell(channel);
    ids.push(await asking(store));
    await tell(channel);
    expect(channel.heard).toEqual(ids.map((id) => `raised ${id}`));
  });

  test('A receiver with `since` is told of what was asked from then on, and of all once that is taken away', async () => {
    const { store, tell, space } = place();
    const early = await asking(store);
    const late = await asking(store);
    const [day, after] = [QUESTION.raisedAt, QUESTION.raisedAt.replace('-02T', '-03T')];
    await driver.query(
      `update hitl_open set raised_at = $4, body = replace(body, $3, $4) where space = $1 and session = $2`,
      [space, late, day, after],
    );
    const since = Date.parse(after);
    const channel = receiver();
    for (let looks = 0; looks < 2; looks += 1) await tell({ ...channel, since });
    expect(channel.heard).toEqual([`raised ${late}`]);
    await tell(channel);
    expect(channel.heard).toEqual([`raised ${late}`, `raised ${early}`]);
  });

  test('O3: what waits behind a receiver that is away is told once it is back', async () => {
    const { store, clock, tell } = place();
    const ids: SessionId[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await asking(store));
    const channel = receiver();
    const send = vi.fn<Channel['send']>(() => Promise.resolve({ type: 'failed', why: 'HTTP 503' }));
    await tell({ ...channel, send });
    expect(send).toHaveBeenCalledTimes(3);
    await tell(channel);
    expect(channel.heard).toEqual(ids.slice(3).map((id) => `raised ${id}`));
    const over = { ...clock, now: () => clock.now() + 60_000 };
    await deliverOnce({ store, clock: over, random: () => 0.5 }, channel);
    expect([...channel.heard].sort()).toEqual(ids.map((id) => `raised ${id}`));
  });

  test('What this version cannot read is told once it can be read', async () => {
    const { store, tell, space } = place();
    const id = await asking(store);
    const { packed = null } =
      (await driver.query('select packed from hitl_open where space = $1', [space]))[0] ?? {};
    if (!(packed instanceof Uint8Array)) throw new Error('it is whole');
    await driver.query(`update hitl_open set packed = null, body = '{}' where space = $1`, [space]);
    const channel = receiver();
    await tell(channel);
    expect(channel.heard).toEqual([]);
    await driver.query('update hitl_open set packed = $2 where space = $1', [space, packed]);
    await tell(channel);
    expect(channel.heard).toEqual([`raised ${id}`]);
  });

  test('Notes of a receiver that was taken away go a week after their question, by index', async () => {
    const { store, clock, tell } = place();
    const answered = await asking(store);
    const open = await asking(store);
    await tell(receiver({ name: 'gone' }));
    await tell(receiver());
    await answer(store, answered);
    const names = ['ops'];
    await forgetStrays({ store, clock, names });
    expect(await notesOf(store)).toHaveLength(4);
    const later = { ...clock, now: () => clock.now() + WEEK_MS + 1 };
    await forgetStrays({ store, clock: later, names });
    const left = (await notesOf(store)).map(({ channel, session }) => `${channel} ${session}`).sort();
    expect(left).toEqual([`gone ${open}`, `ops ${answered}`, `ops ${open}`].sort());
  });

  test('F8: notes that version 0.2.0 left have the names of their open questions once the tables are brought up to date', async () => {
    const { store, tell, space } = place();
    const channel = receiver();
    const ids = [await asking(store), await asking(store)];
    await tell(channel);
    await answer(store, ids[0]!);
    for await (const { session, interrupt } of store.waiting())
      // as 0.2.0 writes it
      await driver.query('update hitl_open set packed = null, body = $2 where session = $1', [
        session,
        JSON.stringify(interrupt),
      ]);
    await driver.query('update hitl_delivery set open_sid = null, open_interrupt = null where space = $1', [
      space,
    ]);
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    const made: string[] = [];
    const pglite = pgliteDriver(await createPglite());
    onTestFinished(() => pglite.close());
    const recording: SqlDriver = {
      ...pglite,
      transaction: (act) =>
        pglite.transaction((sql) =>
          act({ query: (text, values) => (made.push(text), sql.query(text, values)) }),
        ),
    };
    await storeOn(recording, space).waitingCount();
    const [naming = ''] = made.filter((text) => text.startsWith('update hitl_delivery'));
    await driver.query(naming);
    expect(
      await driver.query(
        `select substring(d.body from '"session":"([^"]*)"') as id, o.session, d.due
         from hitl_delivery d left join hitl_open o on o.sid = d.open_sid and o.interrupt = d.open_interrupt
         where d.space = $1 order by o.session nulls first`,
        [space],
      ),
    ).toEqual([
      { id: ids[0], session: null, due: '' },
      { id: ids[1], session: ids[1], due: null },
    ]);
  });
});
