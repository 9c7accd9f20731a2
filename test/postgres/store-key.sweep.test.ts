import { hostname } from 'node:os';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { pgliteDriver } from '../../sessions/postgres/index.js';
import type { Answer, SessionId } from '../../src/core/index.js';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn } from './databases.js';

const KEY = new Uint8Array(32).fill(1);
const ASKING = transferTurn().slice(0, 5);
const QUESTION = confirmation('i1', 'a', { amount: 200 });
const YES: Answer = {
  id: QUESTION.id,
  digest: QUESTION.digest,
  resolution: { action: 'restart' },
  by: {
    type: 'person',
    name: 'boss',
    via: 'web',
    id: { issuer: 'https://login.example.org', subject: 'boss' },
  },
};

describe.skipIf(!hasDatabases)('a database with a key of its own', () => {
  let driver: SqlDriver | undefined;
  let spaces = 0;

  beforeAll(async () => {
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    driver = pgliteDriver(await createPglite());
  });
  afterAll(async () => driver?.close());

  /** Whoever holds the key, and somebody who has the address of the database alone. */
  function stores(): {
    readonly ours: PostgresStore;
    readonly theirs: PostgresStore;
    readonly space: string;
  } {
    if (driver === undefined) throw new Error('the database was not started');
    spaces += 1;
    const space = `key ${spaces}`;
    return { ours: storeOn(driver, space, undefined, KEY), theirs: storeOn(driver, space), space };
  }

  /** Whoever writes to the database takes the mark of its key away, too: it opens nothing and closes nothing. */
  const withoutMark = async (space: string): Promise<unknown> =>
    driver?.query('delete from hitl_key where space = $1', [space]);

  async function asking(store: PostgresStore): Promise<SessionId> {
    await using session = await store.create({ agent });
    await session.append(ASKING);
    return session.id;
  }

  test('counts what was approved with it, on another machine too', async () => {
    const { ours } = stores();
    const id = await asking(ours);
    expect((await ours.post(id, YES)).type).toBe('recorded');
    await using session = await ours.open(id, 'write');
    expect([session.notices, session.state.open?.calls[0]?.approval === undefined]).toEqual([[], false]);
    expect([ours.capabilities.signs, stores().theirs.capabilities.signs]).toEqual([true, false]);
  });

  test('does not count the approval of somebody who has the address alone (F20)', async () => {
    const { ours, theirs, space } = stores();
    const id = await asking(ours);
    await withoutMark(space);
    expect((await theirs.post(id, YES)).type).toBe('recorded');
    await using session = await ours.open(id, 'write');
    expect(session.notices).toEqual([
      `events 8-9 of session ${id} were not signed with your key: its approvals are not valid, and you are asked again`,
    ]);
    expect(session.state.open?.calls[0]?.approval).toBeUndefined();
    await session.append([{ type: 'model-started', attempt: 2 }]);
    const foreign: number[] = [];
    for await (const stored of session.events()) if (stored.foreign === true) foreign.push(stored.seq);
    expect(foreign).toEqual([8, 9]);
  });

  test('hands out no answer and no message that somebody else left (F20)', async () => {
    const { ours, theirs, space } = stores();
    const id = await asking(ours);
    await withoutMark(space);
    {
      await using _writer = await ours.open(id, 'write');
      expect((await theirs.post(id, YES)).type).toBe('left');
      const from = { type: 'person', name: 'boss', via: 'library' } as const;
      await theirs.mail(id).send({ text: 'pay', from }, {}, AbortSignal.timeout(20_000));
    }
    await using session = await ours.open(id, 'write');
    expect(session.notices).toEqual([
      "1 answer and 1 message in this session's inbox were not signed with your key and do not take effect",
    ]);
    expect([await session.answers().take(), await session.inbox().waiting()]).toEqual([undefined, []]);
  });

  test.each([
    ['no key', undefined, 'this machine does not have the database key'],
    ['another key', new Uint8Array(32).fill(2), "this machine's key does not match the database key"],
  ])('refuses whatever a program with %s would record (F20)', async (_name, key, what) => {
    const { ours, space } = stores();
    const id = await asking(ours);
    const other = storeOn(driver!, space, undefined, key);
    const refusal = {
      code: 'BAD_CONFIG',
      message: `${what}: events written by this machine would be void`,
      hint: `copy the key from ${hostname()} (\`hitl store key\` shows its path on each machine); if it is lost: hitl store key --replace`,
    };
    const signal = AbortSignal.timeout(20_000);
    const from = { type: 'person', name: 'boss', via: 'library' } as const;
    await expect(other.capabilities.key?.check()).rejects.toMatchObject(refusal);
    await expect(asking(other)).rejects.toMatchObject(refusal);
    await expect(other.open(id, 'write')).rejects.toMatchObject(refusal);
    await expect(other.post(id, YES)).rejects.toMatchObject(refusal);
    await expect(other.capabilities.worklist?.claim(signal)).rejects.toMatchObject(refusal);
    await expect(other.mail(id).send({ text: 'pay', from }, {}, signal)).rejects.toMatchObject(refusal);
    {
      await using _writer = await ours.open(id, 'write');
      await expect(other.post(id, YES)).rejects.toMatchObject(refusal);
    }
    expect((await other.open(id, 'read')).state.open?.calls[0]?.approval).toBeUndefined();
    await using session = await ours.open(id, 'write');
    expect(session.notices).toEqual([]);
  });

  test('takes another key in the place of one that is lost', async () => {
    const { ours, space } = stores();
    await asking(ours);
    expect(await ours.capabilities.key?.notedBy()).toBe(hostname());
    const other = storeOn(driver!, space, undefined, new Uint8Array(32).fill(2));
    await other.capabilities.key?.replace();
    await asking(other);
    await expect(asking(storeOn(driver!, space, undefined, KEY))).rejects.toMatchObject({
      code: 'BAD_CONFIG',
    });
  });

  test('hands out the answer that was left with it', async () => {
    const { ours } = stores();
    const id = await asking(ours);
    await using session = await ours.open(id, 'write');
    expect((await ours.post(id, YES)).type).toBe('left');
    expect(await session.answers().take()).toEqual(YES);
  });

  test('asks again about sessions that were written before it had one', async () => {
    const { ours, theirs } = stores();
    const id = await asking(theirs);
    await theirs.post(id, YES);
    await using session = await ours.open(id, 'write');
    expect(session.state.open?.calls[0]?.approval).toBeUndefined();
    await session.append([{ type: 'model-started', attempt: 2 }]);
    expect((await ours.open(id, 'read')).notices).toEqual([]);
  });
});
