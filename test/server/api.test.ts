import { describe, expect, test } from 'vitest';

import { systemClock } from '../../src/index.js';
import { asking, openServer, PICK, PORT, TOKEN } from './server-harness.js';

const answerOf = (question: { id: string; digest: string }, answer: unknown, more: object = {}) => ({
  method: 'POST',
  body: JSON.stringify({ interrupt: question.id, digest: question.digest, answer, ...more }),
});

describe('the interface for programs', () => {
  test('lists what waits, with the words of a terminal and without what a body keeps', async () => {
    const { store, api } = await openServer();
    await asking(store, 'one');
    await asking(store, 'two', PICK);
    const page = await (await api('/v1/waiting?limit=1')).json();
    expect(page.items).toMatchObject([
      { session: 'one', title: 'About one', asked: 'transfer  ABC123, 200' },
    ]);
    const next = await (await api(`/v1/waiting?after=${String(page.next)}`)).json();
    expect(next).toMatchObject({ items: [{ session: 'two', asked: 'Which way?' }] });
    expect(next.next).toBeUndefined();
  });

  test('lists sessions page by page, the newest first', async () => {
    const { store, api } = await openServer();
    for (const id of ['one', 'two', 'three']) await asking(store, id);
    const ids: string[] = [];
    let after = '';
    for (let page = 0; page < 5; page += 1) {
      const { items, next } = await (await api(`/v1/sessions?limit=1${after}`)).json();
      ids.push(...items.map(({ id }: { id: string }) => id));
      if (next === undefined) break;
      after = `&after=${String(next)}`;
    }
    expect(ids.sort()).toEqual(['one', 'three', 'two']);
  });

  test('records an answer, tells the second who was first, and takes the same one again under its key', async () => {
    const { store, api } = await openServer();
    const { question } = await asking(store, 'one');
    const headers = { 'idempotency-key': 'k1' };
    const first = await api('/v1/sessions/one/answers', { ...answerOf(question, 'y'), headers });
    expect([first.status, await first.json()]).toEqual([
      200,
      {
        status: 'recorded',
        session: 'one',
        interrupt: 'i1',
        receipt: 'k1',
        resolution: { action: 'restart' },
      },
    ]);
    const again = await api('/v1/sessions/one/answers', { ...answerOf(question, 'y'), headers });
    expect([again.status, (await again.json()).receipt]).toEqual([200, 'k1']);
    const second = await api('/v1/sessions/one/answers', answerOf(question, 'n'));
    expect(second.status).toBe(409);
    expect((await second.json()).error).toMatchObject({
      code: 'ALREADY_ANSWERED',
      first: { by: { type: 'person', name: 'ann', via: 'web' }, resolution: { action: 'restart' } },
    });
  });

  test('refuses an answer to another question than was shown, and one that does not fit', async () => {
    const { store, api } = await openServer();
    const { question } = await asking(store, 'one', PICK);
    const other = await api(
      '/v1/sessions/one/answers',
      answerOf({ ...question, digest: 'f'.repeat(64) }, 'left'),
    );
    expect([other.status, (await other.json()).error.code]).toEqual([412, 'BAD_ANSWER']);
    const misfit = await api('/v1/sessions/one/answers', answerOf(question, 'up'));
    expect([misfit.status, (await misfit.json()).error.code]).toEqual([400, 'BAD_ANSWER']);
    const always = await asking(store, 'two');
    const rule = await api(
      '/v1/sessions/two/answers',
      answerOf(always.question, { action: 'approve', always: true }),
    );
    expect(rule.status).toBe(400);
    const more = await api('/v1/sessions/one/answers', answerOf(question, 'left', { by: { type: 'clock' } }));
    expect([more.status, (await more.json()).error.code]).toEqual([400, 'BAD_INPUT']);
    expect((await (await api('/v1/waiting')).json()).items).toHaveLength(2);
  });

  test('leaves an answer for the process that has the session', async () => {
    const { store, api } = await openServer({
      clock: { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(100, signal) },
    });
    const { question, session } = await asking(store, 'one');
    await using held = await store.open(session, 'write');
    const left = await api('/v1/sessions/one/answers', answerOf(question, 'y'));
    expect([left.status, (await left.json()).status]).toEqual([202, 'left']);
    expect(held.state.resolved.length).toBe(0);
  });

  test('tells the events of a session behind the last that is known', async () => {
    const { store, api } = await openServer();
    await asking(store, 'one');
    const response = await api('/v1/sessions/one/events', { headers: { 'last-event-id': '2' } });
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(first).toMatch(/^id: 3\ndata: \{"session":"one","seq":3,/u);
  });

  test('sends a message to a run, from the person who sends it', async () => {
    const { store, api } = await openServer();
    const { session } = await asking(store, 'one');
    const sent = await api('/v1/sessions/one/messages', {
      method: 'POST',
      body: JSON.stringify({ text: 'hurry' }),
    });
    expect(sent.status).toBe(202);
    expect((await store.mail(session).list()).items).toMatchObject([
      { text: 'hurry', from: { type: 'person', name: 'ann', via: 'web' } },
    ]);
  });

  test.for(['/v1/sessions/none', '/v1/sessions/..%2f', '/v1/nothing', '/v1/sessions/none/events'])(
    'says that %s is not there',
    async (path) => {
      const { api } = await openServer();
      const response = await api(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json']);
    },
  );

  test('describes itself as OpenAPI, and every reference in it leads somewhere', async () => {
    const { api } = await openServer();
    const document = await (await api('/openapi.json')).json();
    expect([document.openapi, Object.keys(document.paths).length]).toEqual(['3.1.0', 7]);
    const text = JSON.stringify(document);
    const named = new Set(Object.keys(document.components.schemas));
    const refs = [...text.matchAll(/"#\/([^"]+)"/gu)].map(([, ref]) => ref ?? '');
    expect(refs.length).toBeGreaterThan(10);
    expect(refs.filter((ref) => !named.has(ref.replace('components/schemas/', '')))).toEqual([]);
  });
});

describe('a person with a token of their own', () => {
  test('is named in the journal by it, and the groups that stand beside it', async () => {
    const people = [{ name: 'ben', token: TOKEN, groups: ['ops'] }];
    const { store, api } = await openServer({ access: { type: 'tokens', people }, port: PORT });
    const { question, session } = await asking(store, 'one');
    await api('/v1/sessions/one/answers', answerOf(question, 'n'));
    await using read = await store.open(session, 'read');
    expect(read.state.resolved.at(-1)?.by).toEqual({
      type: 'person',
      name: 'ben',
      via: 'web',
      id: { issuer: 'hitl serve', subject: 'ben' },
      groups: ['ops'],
    });
  });
});
