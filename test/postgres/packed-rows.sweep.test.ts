import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { pgliteDriver } from '../../sessions/postgres/index.js';
import type { AgentFingerprint, SessionCopy, SessionId, WaitingItem } from '../../src/core/index.js';
import { agent as bare, confirmation, said, transferTurn } from '../sessions/sample-events.js';
import { briefClock, hasDatabases, storeOn } from './databases.js';

const agent: AgentFingerprint = {
  ...bare,
  tools: [
    {
      name: 'transfer',
      description: 'Moves money to an account.',
      inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
      ...{ effect: 'once', origin: 'module ./bank.js', restartable: true },
    },
  ],
};
const KEY = new Uint8Array(32).fill(7);

async function waitingIn(store: PostgresStore): Promise<SessionId> {
  await using session = await store.create({ agent });
  await session.append(transferTurn().slice(0, 5));
  return session.id;
}

async function given(store: PostgresStore, id: SessionId): Promise<SessionCopy> {
  const copy = await store.capabilities.copying?.give(id);
  if (copy === undefined) throw new Error('nothing is copied');
  return copy;
}

const textsOf = ({ lines }: SessionCopy): readonly string[] =>
  lines.map((line) => Buffer.from(line).toString());

describe.skipIf(!hasDatabases)('records that are packed, in rows (`npm run tools` installs it)', () => {
  let driver: SqlDriver;
  beforeAll(async () => {
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    driver = pgliteDriver(await createPglite());
  });
  afterAll(() => driver.close());

  const rowsOf = async (id: SessionId) =>
    driver.query(
      `select e.seq::int as seq, e.line, e.packed, e.cut from hitl_session s join hitl_event e using (sid)
       where s.id = $1 order by e.seq`,
      [id],
    );

  test('hold tool descriptions once for all sessions, and are read and gone on with as they were', async () => {
    const store = storeOn(driver, 'a', briefClock(), KEY);
    const ids = [await waitingIn(store), await waitingIn(store)] as const;
    const made = await store.create({ agent });
    const { id: begun } = made;
    await made[Symbol.asyncDispose]();
    expect(await driver.query('select count(*)::int as n from hitl_text')).toEqual([{ n: 1 }]);
    const rows = await rowsOf(ids[0]);
    expect(rows.map(({ line }) => line)).toEqual(rows.map(() => ''));
    const other = storeOn(driver, 'a', briefClock(), KEY);
    {
      await using session = await other.open(begun, 'write');
      expect(session.notices).toEqual([]);
      await session.append([said('more')]);
    }
    await using read = await store.open(begun, 'read');
    expect([read.notices, read.state.agent]).toEqual([[], agent]);
    const events = [];
    for await (const { event } of read.events()) events.push(event.type);
    const tailed = await store.tail(begun).next();
    expect(tailed.map(({ event }) => event.type)).toEqual(events);
    expect(events).toContain('session-created');
    expect((await rowsOf(begun)).every(({ packed }) => packed !== null)).toBe(true);
  });

  test('are given to others as the lines that they are, and taken from others as they come', async () => {
    const store = storeOn(driver, 'b', briefClock(), KEY);
    const id = await waitingIn(store);
    const copy = await given(store, id);
    expect(textsOf(copy)[0]).toContain(`"tools":${JSON.stringify(agent.tools)}`);
    const elsewhere = storeOn(driver, 'c', briefClock(), KEY);
    await elsewhere.capabilities.copying?.take(copy);
    expect(textsOf(await given(elsewhere, id))).toEqual(textsOf(copy));
  });

  const listed = async (store: PostgresStore) => {
    const items: WaitingItem[] = [];
    for await (const item of store.waiting()) items.push(item);
    return items;
  };

  test('hold questions, which are listed as they were asked; what cannot be unpacked is left out', async () => {
    const store = storeOn(driver, 'q');
    const interrupt = confirmation('i1', 'a', { amount: 200 });
    const [session, other] = [await waitingIn(store), await waitingIn(store)];
    const rows = await driver.query(
      `select body, packed is not null as packed, encode(digest, 'hex') as digest from hitl_open where space = 'q'`,
    );
    const row = { body: '', packed: true, digest: interrupt.digest };
    expect(rows).toEqual([row, row]);
    const items = [session, other].map((id) => ({ session: id, title: 'Transfer 200 to Ann', interrupt }));
    expect(await listed(storeOn(driver, 'q'))).toEqual(items);
    await driver.query(`update hitl_open set packed = '\\x010203' where session = $1`, [session]);
    expect(await listed(storeOn(driver, 'q'))).toEqual(items.slice(1));
  });

  /** Changes the rows of a session as whoever can write to the database does; then it is opened. */
  async function openedAfter(space: string, change: string) {
    const id = await waitingIn(storeOn(driver, space));
    await driver.query(change, [id]);
    const store = storeOn(driver, space);
    const of = async (act: () => Promise<unknown>): Promise<unknown> =>
      act().then(
        () => 'opened',
        (thrown: unknown) => (thrown as { code?: unknown }).code,
      );
    return [
      await of(() => store.open(id, 'read')),
      await of(() => store.open(id, 'write')),
      await of(() => given(store, id)),
    ];
  }

  const ofFirst = 'seq = 1 and sid = (select sid from hitl_session where id = $1)';
  test.each([
    ['that names no text', 'update hitl_session set packing = null where id = $1'],
    ['that names a text that is not there', `update hitl_session set packing = '\\x00' where id = $1`],
    ['with bytes that are none', `update hitl_event set packed = '\\x010203' where ${ofFirst}`],
    ['with a cut in the wrong place', `update hitl_event set cut = cut - 1 where ${ofFirst}`],
    [
      'with a line that looks packed',
      `update hitl_event set packed = null, line = '{"v":2,"seq":1}' where ${ofFirst}`,
    ],
  ])('are damaged in a row %s (M5)', async (what, change) => {
    expect(await openedAfter(what, change)).toEqual([
      'SESSION_DAMAGED',
      'SESSION_DAMAGED',
      'SESSION_DAMAGED',
    ]);
  });

  test('are damaged where the text is another one than its digest says, and new ones are not packed with it', async () => {
    const id = await waitingIn(storeOn(driver, 'e'));
    await driver.query(`update hitl_text set text = '[]' || text`);
    const store = storeOn(driver, 'e');
    await expect(store.open(id, 'read')).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
    const whole = await waitingIn(store);
    expect((await rowsOf(whole)).map(({ packed }) => packed)).toEqual((await rowsOf(whole)).map(() => null));
    await using session = await store.open(whole, 'read');
    expect(session.notices).toEqual([]);
    await driver.query(`update hitl_text set text = substr(text, 3)`);
    const [{ digest, text } = {}] = await driver.query(
      `select encode(digest, 'hex') as digest, text from hitl_text`,
    );
    expect(createHash('sha256').update(String(text)).digest('hex')).toBe(digest);
  });
});
