import { describe, expect, test } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore } from '../../sessions/postgres/index.js';
import type { SessionStore } from '../../src/index.js';
import { openStore } from '../../src/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { openServer } from './server-harness.js';

const GONE = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

/** A store whose database is of a version that this program does not know. */
function storeNewer(): SessionStore {
  const query: SqlDriver['query'] = async (text) =>
    text.includes('from hitl_version') ? [{ version: 91, reads_from: 91 }] : [];
  const driver: SqlDriver = {
    query,
    transaction: (act) => act({ query }),
    listen: async () => () => undefined,
    close: () => Promise.resolve(),
  };
  const random = (size: number): Uint8Array => new Uint8Array(size);
  return createPostgresStore({ connection: driver, clock: fakeClock(), random });
}

/** A store whose database does not answer. */
function storeAway(): SessionStore {
  const driver: SqlDriver = {
    query: () => Promise.reject(GONE),
    transaction: () => Promise.reject(GONE),
    listen: () => Promise.reject(GONE),
    close: () => Promise.resolve(),
  };
  const random = (size: number): Uint8Array => new Uint8Array(size);
  return createPostgresStore({ connection: driver, clock: fakeClock(), random });
}

describe('R4: a store that is away', () => {
  test.each(['/v1/waiting', '/v1/sessions', '/v1/sessions/01kb0000000000000'])(
    'is told to whoever asks for %s as 503 with a time, and not as a refusal',
    async (path) => {
      const { api } = await openServer({ store: storeAway() });
      const response = await api(path);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.json()).toMatchObject({ error: { code: 'STORE_UNAVAILABLE' } });
    },
  );

  test('is told to whoever answers as 503 with a time', async () => {
    const { api } = await openServer({ store: storeAway() });
    const body = JSON.stringify({ interrupt: 'i1', digest: 'd', answer: 'y' });
    const response = await api('/v1/sessions/01kb0000000000000/answers', { method: 'POST', body });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  test('is told to a page as 503 with a time', async () => {
    const { browser } = await openServer({ store: storeAway() });
    const response = await (await browser()).get('/');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.text()).toContain('could not read the database');
  });
});

describe('/readyz', () => {
  const asked = async (store: SessionStore) => {
    const { api } = await openServer({ store });
    const response = await api('/readyz', { headers: { authorization: '' } });
    return [response.status, await response.text(), response.headers.get('retry-after')];
  };

  test('says whether the store answered just now, and /healthz whether the process does', async () => {
    expect(await asked(openStore())).toEqual([200, 'ready\n', null]);
    expect(await asked(storeAway())).toEqual([503, 'the store is unreachable\n', '5']);
    const { api } = await openServer({ store: storeAway() });
    expect((await api('/healthz')).status).toBe(200);
  });

  test.each([
    [
      { isCopy: true },
      503,
      'the database is a copy of another one; run hitl store restored or hitl store moved\n',
      '5',
    ],
    [
      { isCopy: false, promoted: { from: 1, to: 2 } },
      200,
      'ready\nthe database was promoted; run hitl store restored if it came from a backup or lost data, otherwise hitl store moved\n',
      null,
    ],
    [{ isCopy: false }, 200, 'ready\n', null],
  ])('F7: says what a database is where that has to be known: %j', async (seen, status, text, after) => {
    const store = openStore();
    const unsaid = (): Promise<never> => Promise.reject(new Error('nobody asks'));
    const origin = { look: () => Promise.resolve(seen), survey: unsaid, restored: unsaid, moved: unsaid };
    const known: SessionStore = {
      ...store,
      capabilities: { ...store.capabilities, origin },
      list: () => store.list(),
    };
    expect(await asked(known)).toEqual([status, text, after]);
  });

  test('says that the tables are newer than this program knows, which is 503 at every door (F8, R10)', async () => {
    const newer = "this database's tables are from a newer version (91; this program supports 13)";
    expect(await asked(storeNewer())).toEqual([503, `${newer}\n`, '5']);
    const { api } = await openServer({ store: storeNewer() });
    const body = JSON.stringify({ interrupt: 'i1', digest: 'd', answer: 'y' });
    const refused = [
      await api('/v1/waiting'),
      await api('/v1/sessions/01kb0000000000000/answers', { method: 'POST', body }),
    ];
    expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [503, '5'],
      [503, '5'],
    ]);
    expect(await refused[1]?.json()).toMatchObject({ error: { code: 'SESSION_NEWER', message: newer } });
  });

  test('asks the store once a second, however many ask', async () => {
    const [clock, store] = [fakeClock(), openStore()];
    let looks = 0;
    const counted = new Proxy(store, {
      get: (target, key, receiver): unknown => {
        if (key === 'list') looks += 1;
        const value: unknown = Reflect.get(target, key, receiver);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { api } = await openServer({ store: counted, clock });
    await Promise.all(Array.from({ length: 50 }, () => api('/readyz')));
    expect(looks).toBe(1);
    await clock.advance(1_000);
    await api('/readyz');
    expect(looks).toBe(2);
  });
});

test.each(['search=%00', 'search=a%00b'])('?%s is 400: no text has that character', async (query) => {
  const { api } = await openServer();
  const response = await api(`/v1/sessions?${query}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'BAD_INPUT' } });
});
