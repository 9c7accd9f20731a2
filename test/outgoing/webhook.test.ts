import { createHmac } from 'node:crypto';

import { describe, expect, test, vi } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import type { DeliveryNote, SessionStore } from '../../src/core/index.js';
import {
  checkSessionId,
  emptyState,
  HitlError,
  interruptId,
  makeInterrupt,
  ROOT_PATH,
} from '../../src/core/index.js';
import { openStore } from '../../src/index.js';
import type { Channel, PostRequest } from '../../src/outgoing/index.js';
import { forgetStrays } from '../../src/outgoing/tidy.js';
import { deliverOnce, keyOf, webhookChannel } from '../../src/outgoing/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { asking } from '../server/server-harness.js';
import { playedPost } from './played.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NONE: PostRequest = { url: '', headers: {}, body: '', allow: [] };
const PAGES = 'https://hitl.example.org';
const options = {
  name: 'ops',
  url: 'https://hooks.example.com/hitl',
  secrets: [SECRET],
  tellsResolved: true,
  allow: [],
};

function world(store: SessionStore) {
  const clock = fakeClock();
  const told: DeliveryNote[] = [];
  return {
    store,
    clock,
    random: () => 0.5,
    pages: PAGES,
    told: (note: DeliveryNote) => void told.push(note),
    notes: told,
  };
}

const idsOf = ({ sent }: ReturnType<typeof playedPost>) => sent.map(({ headers }) => headers['webhook-id']);

async function answer(store: SessionStore, session: string, question: { id: string; digest: string }) {
  const by = { type: 'person', name: 'ann', via: 'web' } as const;
  await store.post(session as never, { ...question, resolution: { action: 'reject' }, by } as never);
}

describe('a webhook', () => {
  test('A question is told once, with its words and its page, signed as Standard Webhooks says.', async () => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const [post, here] = [playedPost(), world(store)];
    const channel = webhookChannel(options, post);
    await deliverOnce(here, channel);
    await deliverOnce(here, channel);
    expect(post.sent).toHaveLength(1);
    const [{ body, headers, url } = NONE] = post.sent;
    const { kept: _kept, ...interrupt } = { kept: null, ...question };
    expect(JSON.parse(body)).toEqual({
      type: 'interrupt.raised',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: {
        session: 'rent',
        title: 'About rent',
        asked: expect.stringContaining('transfer') as string,
        answer: `hitl answer rent y --digest ${question.digest.slice(0, 8)}`,
        page: `${PAGES}/sessions/rent/questions/${question.id}`,
        ...interrupt,
      },
    });
    expect([url, Object.keys(headers)]).toEqual([
      'https://hooks.example.com/hitl',
      ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ]);
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
    const signature = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  });

  test('Of a gate of a workflow its question is told, and neither what its node gave nor its state.', async () => {
    const source = { type: 'node', nodeId: 'review', visit: 1, phase: 'after' } as const;
    const payload = { prompt: 'Good?', output: { key: 'hunter2' }, state: { key: 'hunter2' } };
    const named = { id: interruptId('i1'), path: ROOT_PATH, raisedAt: '2026-01-01T00:00:00.000Z' };
    const interrupt = makeInterrupt({ kind: 'gate', source, payload }, named);
    const item = { session: checkSessionId('rent'), title: 'Rent', interrupt };
    const post = playedPost();
    const about = { id: 'msg_1', event: 'interrupt.raised', at: 0, state: emptyState() } as const;
    await webhookChannel(options, post).send({ ...about, item });
    const { data } = JSON.parse(post.sent[0]?.body ?? '') as { data: { payload: unknown } };
    expect(data.payload).toEqual({ prompt: 'Good?' });
  });

  test('What was sent and not noted is sent again under its name, once its time is over.', async () => {
    const store = openStore();
    await asking(store, 'rent');
    const here = world(store);
    let isSending = (): void => undefined;
    const began = new Promise<void>((resolve) => {
      isSending = resolve;
    });
    const killed: Channel = {
      ...webhookChannel(options, playedPost()),
      send: () => {
        isSending();
        return new Promise(() => undefined);
      },
    };
    void deliverOnce(here, killed); // it sends, and nobody ever hears of it again
    await began;
    const channel = webhookChannel(options, playedPost());
    const next = await deliverOnce(here, channel);
    expect(next).toBe(here.clock.now() + 60_000);
    const [again, other] = [playedPost(), playedPost()];
    await here.clock.advance(60_000);
    await Promise.all([again, other].map((each) => deliverOnce(here, webhookChannel(options, each))));
    expect(again.sent.length + other.sent.length).toBe(1);
    expect([...idsOf(again), ...idsOf(other)]).toEqual([here.notes[0]?.message]);
  });

  test('A receiver that fails is tried later under the same name, and after ten times left to a person.', async () => {
    const store = openStore();
    await asking(store, 'rent');
    const [post, here] = [playedPost(503), world(store)];
    const channel = webhookChannel(options, post);
    for (
      let next = await deliverOnce(here, channel);
      next !== undefined;
      next = await deliverOnce(here, channel)
    )
      await here.clock.advance(next - here.clock.now());
    expect(new Set(idsOf(post)).size).toBe(1);
    expect(here.notes.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 9 }, () => 'waiting'),
      'left',
    ]);
    expect(here.notes.at(-1)).toMatchObject({ why: 'HTTP 503', attempts: 10 });
  });

  test.each([302, 400, 410])('An answer with %i is left to a person at once.', async (status) => {
    const store = openStore();
    await asking(store, 'rent');
    const here = world(store);
    await deliverOnce(here, webhookChannel(options, playedPost(status)));
    expect(here.notes).toMatchObject([
      { state: 'left', why: expect.stringContaining(`HTTP ${status}`) as string },
    ]);
  });

  test('What was answered before it was sent again is not asked, and a receiver that was told hears who answered.', async () => {
    const store = openStore();
    const { question, session } = await asking(store, 'rent');
    const [post, here] = [playedPost(200), world(store)];
    await deliverOnce(here, webhookChannel(options, post));
    const silent = playedPost(503);
    const quiet = webhookChannel({ ...options, name: 'quiet', tellsResolved: false }, silent);
    await deliverOnce(here, quiet);
    await answer(store, session, question);
    await here.clock.advance(10_000);
    await deliverOnce(here, quiet);
    await deliverOnce(here, webhookChannel(options, post));
    expect([silent.sent.length, post.sent.length]).toEqual([1, 2]);
    expect(JSON.parse(post.sent[1]?.body ?? '')).toMatchObject({
      type: 'interrupt.resolved',
      data: { session: 'rent', id: question.id, resolved: { action: 'reject', by: 'ann' } },
    });
    const left = [];
    for await (const note of store.capabilities.deliveries?.list() ?? []) left.push(note);
    expect(left).toEqual([]);
  });

  test('What is answered just before it is sent is not asked, and nothing of it is noted.', async () => {
    const store = openStore();
    const { question, session } = await asking(store, 'rent');
    const book = store.capabilities.deliveries!;
    const put = book.put.bind(book);
    vi.spyOn(book, 'put').mockImplementationOnce(async (note) => {
      await answer(store, session, question);
      return put(note);
    });
    const [post, here] = [playedPost(), world(store)];
    await deliverOnce(here, webhookChannel(options, post));
    const left = [];
    for await (const note of book.list()) left.push(note);
    expect([post.sent, here.notes, left]).toEqual([[], [], []]);
  });

  test('A receiver that throws is one that failed: it is tried later, and the next question is told.', async () => {
    const store = openStore();
    for (const id of ['a', 'b']) await asking(store, id);
    const here = world(store);
    const send = vi.fn<Channel['send']>(() => Promise.resolve({ type: 'sent' }));
    send.mockRejectedValueOnce(new Error('boom'));
    await deliverOnce(here, { name: 'ops', tellsResolved: false, send });
    expect(here.notes.map(({ state, why }) => [state, why])).toEqual([
      ['waiting', 'boom'],
      ['sent', undefined],
    ]);
  });

  test('A session that cannot be read is tried later by itself, and holds up nobody.', async () => {
    const store = openStore();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await asking(store, id);
    const open = store.open.bind(store);
    store.open = (id, mode) =>
      id === 'e' ? open(id, mode) : Promise.reject(new HitlError('SESSION_DAMAGED', `${id} is damaged`));
    const [post, here] = [playedPost(200), world(store)];
    await deliverOnce(here, webhookChannel(options, post));
    expect(here.notes.map(({ session, state, why }) => [session, state, why]).sort()).toEqual([
      ...['a', 'b', 'c', 'd'].map((id) => [id, 'waiting', `${id} is damaged`]),
      ['e', 'sent', undefined],
    ]);
  });

  test('What is too large for a body is left out, and the body says so.', async () => {
    const store = openStore();
    const note = 'é'.repeat(200_000);
    await asking(store, 'rent', { name: 'transfer', input: { to: 'ABC123', amount: 1, note } });
    const [post, here] = [playedPost(200), world(store)];
    await deliverOnce(here, webhookChannel(options, post));
    const [{ body, headers } = NONE] = post.sent;
    expect(Buffer.byteLength(body)).toBeLessThan(200_000);
    const { data } = JSON.parse(body) as { data: Record<string, unknown> };
    expect([data['leftOut'], data['source'], data['page']]).toEqual([
      ['source'],
      undefined,
      `${PAGES}/sessions/rent/questions/i1`,
    ]);
    expect(headers['webhook-signature']).toMatch(/^v1,/u);
  });

  test('A note of a receiver that was taken away goes a week after its question.', async () => {
    const store = openStore();
    const { question, session } = await asking(store, 'rent');
    await asking(store, 'open');
    const here = world(store);
    await deliverOnce(here, webhookChannel({ ...options, name: 'gone' }, playedPost()));
    await deliverOnce(here, webhookChannel(options, playedPost()));
    await answer(store, session, question);
    const notes = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const one of store.capabilities.deliveries!.list())
        found.push(`${one.channel} ${one.session}`);
      return found.sort();
    };
    const all = ['gone open', 'gone rent', 'ops open', 'ops rent'];
    await forgetStrays({ ...here, names: ['ops'] });
    expect(await notes()).toEqual(all);
    await here.clock.advance(8 * 86_400_000);
    await forgetStrays({ ...here, names: ['ops'] });
    expect(await notes()).toEqual(['gone open', 'ops open', 'ops rent']);
  });

  test('A receiver that is away is left alone after three failures, and the rest waits.', async () => {
    const store = openStore();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await asking(store, id);
    const post = playedPost(503);
    await deliverOnce(world(store), webhookChannel(options, post));
    expect(post.sent).toHaveLength(3);
  });

  test.each(['hunter2', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${Buffer.alloc(65).toString('base64')}`])(
    'The secret %s cannot sign, and the error does not tell it.',
    (secret) => {
      expect(() => keyOf(secret, 'ops')).toThrow(
        expect.objectContaining({
          code: 'BAD_CONFIG',
          message: expect.not.stringContaining(secret) as string,
        }) as Error,
      );
    },
  );

  test.skipIf(!isInstalled())(
    'The package of Standard Webhooks verifies what is sent, and nothing else.',
    async () => {
      const { Webhook } = await import('../../tools/peers/standard-webhooks.mjs');
      const store = openStore();
      await asking(store, 'rent');
      const post = playedPost();
      const here = { ...world(store), clock: fakeClock({ start: Date.now() }) };
      const old = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
      await deliverOnce(here, webhookChannel({ ...options, secrets: [old, SECRET] }, post));
      const [{ body, headers } = NONE] = post.sent;
      for (const secret of [old, SECRET])
        expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'interrupt.raised' });
      expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow();
    },
  );
});
