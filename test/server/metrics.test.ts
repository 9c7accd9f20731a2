import { describe, expect, test } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore } from '../../sessions/postgres/index.js';
import { openStore } from '../../src/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { asking, openServer, PICK, TRANSFER } from './server-harness.js';

/** The lines about sessions, without their help. */
async function linesOf(response: Response): Promise<readonly string[]> {
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line.startsWith('hitl_') && !line.startsWith('hitl_build'));
}

const holder = (name: string, roles: readonly ('answer' | 'read' | 'measure' | 'ask')[]) => ({
  name,
  token: `${name} `.repeat(20).replaceAll(' ', '-'),
  roles,
});
const people = [holder('prometheus', ['measure']), holder('ann', ['answer', 'read']), holder('bot', ['ask'])];
const bearer = (name: string) => ({
  headers: { authorization: `Bearer ${people.find((one) => one.name === name)?.token ?? ''}` },
});

describe('GET /metrics', () => {
  test('tells ages and counts of what waits, and what this process did, as numbers alone', async () => {
    const store = openStore();
    const { question, place } = await asking(store, '01kb00000000000000000000a1', TRANSFER);
    await asking(store, '01kb00000000000000000000a2', PICK);
    const { api } = await openServer({ store });
    await api(`/v1${place.replace(/\/questions.*/u, '')}/answers`, {
      method: 'POST',
      body: JSON.stringify({ interrupt: question.id, digest: question.digest, answer: 'n' }),
    });
    await api('/v1/sessions/01kb00000000000000000000a9');
    const response = await api('/metrics');
    const text = await response.clone().text();
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const secret of ['About', '01kb', 'ABC123', 'transfer', 'ann']) expect(text).not.toContain(secret);
    const lines = await linesOf(response);
    const ages = lines.filter((line) => line.startsWith('hitl_oldest_interrupt_seconds'));
    expect(ages.map((line) => line.replace(/ [0-9](?:\.\d+)?$/u, ''))).toEqual(
      ['question', 'confirmation', 'gate', 'pause', 'error', 'in-doubt', 'limit', 'wait'].map(
        (kind) => `hitl_oldest_interrupt_seconds{kind="${kind}"}`,
      ),
    );
    expect(lines.filter((line) => !ages.includes(line))).toEqual([
      'hitl_answers_total{result="recorded"} 1',
      'hitl_answers_total{result="voted"} 0',
      'hitl_answers_total{result="left"} 0',
      'hitl_leases_lost_total 0',
      'hitl_interrupts_total{kind="in-doubt"} 0',
      'hitl_requests_total{route="POST /v1/sessions/:id/answers",status="200"} 1',
      'hitl_requests_total{route="GET /v1/sessions/:id",status="404"} 1',
      'hitl_store_up 1',
      'hitl_open_interrupts{kind="question"} 1',
      'hitl_open_interrupts{kind="confirmation"} 0',
      'hitl_open_interrupts{kind="gate"} 0',
      'hitl_open_interrupts{kind="pause"} 0',
      'hitl_open_interrupts{kind="error"} 0',
      'hitl_open_interrupts{kind="in-doubt"} 0',
      'hitl_open_interrupts{kind="limit"} 0',
      'hitl_open_interrupts{kind="wait"} 0',
      'hitl_sessions{state="done"} 0',
      'hitl_sessions{state="waiting"} 1',
      'hitl_sessions{state="interrupted"} 1',
      'hitl_sessions{state="failed"} 0',
    ]);
  });

  test('is for who has the role `measure`, which sees nothing else', async () => {
    const store = openStore();
    await asking(store, '01kb00000000000000000000a1');
    const { api } = await openServer({ store, access: { type: 'tokens', people } });
    const status = async (name: string, path = '/metrics') => (await api(path, bearer(name))).status;
    expect([await status('prometheus'), await status('ann'), await status('bot')]).toEqual([200, 403, 403]);
    expect((await api('/metrics', { headers: { authorization: '' } })).status).toBe(401);
    const refused = await api('/metrics', {
      ...bearer('ann'),
      headers: { ...bearer('ann').headers, accept: '*/*' },
    });
    expect(refused.headers.get('content-type')).toBe('application/json');
    const seen = await (await api('/v1/waiting', bearer('prometheus'))).json();
    expect(seen).toMatchObject({ items: [] });
    expect(await status('prometheus', '/v1/sessions/01kb00000000000000000000a1')).toBe(404);
  });

  test('says of a store that is away that it is, and still tells of this process', async () => {
    const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    const driver: SqlDriver = {
      query: gone,
      transaction: gone,
      listen: gone,
      close: () => Promise.resolve(),
    };
    const random = (size: number): Uint8Array => new Uint8Array(size);
    const store = createPostgresStore({ connection: driver, clock: fakeClock(), random });
    const { api } = await openServer({ store });
    const response = await api('/metrics');
    expect(response.status).toBe(200);
    expect(await linesOf(response)).toEqual([
      'hitl_answers_total{result="recorded"} 0',
      'hitl_answers_total{result="voted"} 0',
      'hitl_answers_total{result="left"} 0',
      'hitl_claims_total 0',
      'hitl_leases_lost_total 0',
      'hitl_interrupts_total{kind="in-doubt"} 0',
      'hitl_store_up 0',
    ]);
  });

  test.for([true, false])('tells whether the database is a copy: %j (F7)', async (isCopy) => {
    const store = openStore();
    const capabilities = { ...store.capabilities, origin: { look: () => Promise.resolve({ isCopy }) } };
    const told = new Proxy(store, {
      get: (target, key): unknown => {
        const value: unknown = key === 'capabilities' ? capabilities : Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { api } = await openServer({ store: told });
    const lines = await linesOf(await api('/metrics'));
    expect(lines.filter((line) => line.startsWith('hitl_store_copy'))).toEqual([
      `hitl_store_copy ${isCopy ? 1 : 0}`,
    ]);
  });

  test('asks the store once in five seconds, however many ask', async () => {
    const [clock, store] = [fakeClock(), openStore()];
    let looks = 0;
    const counted = new Proxy(store, {
      get: (target, key, receiver): unknown => {
        if (key === 'waiting') looks += 1;
        const value: unknown = Reflect.get(target, key, receiver);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { api } = await openServer({ store: Object.assign(counted, { clock: undefined }), clock });
    await Promise.all(Array.from({ length: 50 }, () => api('/metrics')));
    await clock.advance(4_999);
    await api('/metrics');
    expect(looks).toBe(1);
    await clock.advance(1);
    await api('/metrics');
    expect(looks).toBe(2);
  });
});
