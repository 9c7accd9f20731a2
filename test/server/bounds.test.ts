import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, test } from 'vitest';

import type { EventTail, SessionId, SessionStore } from '../../src/core/index.js';
import { openStore } from '../../src/index.js';
import type { Listening, TokenHolder } from '../../src/server/index.js';
import { createServer, listen, loopbackHosts } from '../../src/server/index.js';
import { asking, HOME, openServer, TOKEN } from './server-harness.js';

const closed: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closed.splice(0).reverse()) await close();
});

/** A server with bounds of its own, so that a test reaches them. */
async function listening(bounds: Parameters<typeof listen>[1]): Promise<Listening> {
  const place = await listen(
    (port) =>
      createServer({
        store: openStore(),
        access: { type: 'tokens', people: [{ name: 'ann', token: TOKEN }] },
        hosts: loopbackHosts(port),
        ...{ port, origin: `http://own.localhost:${port}` },
      }),
    bounds,
  );
  closed.push(() => place.close());
  return place;
}

async function connected(port: number, sends = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  closed.push(() => void socket.destroy());
  await once(socket, 'connect');
  socket.resume();
  if (sends !== '') socket.write(sends);
  return socket;
}

const SLOW_BODY = (port: number): string =>
  `POST /sign-in HTTP/1.1\r\nhost: own.localhost:${port}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 15000\r\n\r\ntoken=`;

const health = async (port: number): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(5_000) })).status;

describe('F5b: before anybody is known', () => {
  test.each([
    ['headers', () => 'GET / HTTP/1.1\r\n'],
    ['a body', SLOW_BODY],
  ])(
    'a connection that does not finish %s in time is ended',
    async (_what, sends) => {
      const { port } = await listening({ headersMs: 200, requestMs: 400 });
      const socket = await connected(port, sends(port));
      socket.resume();
      const ended = once(socket, 'close').then(() => 'ended');
      expect(await Promise.race([ended, sleep(6_000, 'still open', { ref: false })])).toBe('ended');
      expect(await health(port)).toBe(200);
    },
    10_000,
  );

  test('connections that send nothing give way to new ones, and the oldest of them first', async () => {
    const { port } = await listening({ mostConnections: 5 });
    const held: Socket[] = [];
    for (let count = 0; count < 8; count += 1) held.push(await connected(port, SLOW_BODY(port)));
    expect(await health(port)).toBe(200);
    await sleep(100);
    expect(held.map(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([
      ...[true, true, true, true],
      ...[false, false, false, false],
    ]);
  });

  test.each(['/sign-in', '/hooks/slack'])('a large body to %s is refused before it is read', async (path) => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(10_000));
        if (pulled === 200) controller.close();
      },
    });
    const slack = {
      signingSecret: 's',
      team: 'T1',
      people: {},
      replyHosts: [],
      post: () => Promise.reject(new Error('away')),
    };
    const { server } = await openServer({ slack: [slack] });
    const headers = {
      host: HOME,
      'content-length': '2000000',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const request = new Request(`http://127.0.0.1:4680${path}`, init);
    const response = await server.fetch(request, '127.0.0.1');
    expect([response.status, pulled <= 1]).toEqual([413, true]);
  });
});

/** A store that counts what is read of its sessions. */
function counting(): { readonly store: SessionStore; readonly reads: { opened: number; looks: number } } {
  const store = openStore();
  const reads = { opened: 0, looks: 0 };
  return {
    reads,
    store: new Proxy(store, {
      get(of, name) {
        if (name === 'open')
          return (id: SessionId, mode: 'read' | 'write') => {
            if (mode === 'read') reads.opened += 1;
            return of.open(id, mode);
          };
        if (name === 'tail')
          return (id: SessionId): EventTail => {
            const tail = of.tail!(id);
            return {
              next: async () => {
                reads.looks += 1;
                return tail.next();
              },
            };
          };
        const value: unknown = Reflect.get(of, name);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    }),
  };
}

async function firstOf(response: Response): Promise<string> {
  const reader = response.body!.getReader();
  closed.push(() => reader.cancel());
  const { value } = await reader.read();
  return Buffer.from(value ?? []).toString();
}

describe('F13: streams of a session', () => {
  test('all its readers share one follower, which opens the session for none of them', async () => {
    const { store, reads } = counting();
    await asking(store, 'one');
    const { api } = await openServer({ store });
    reads.opened = 0;
    for (let count = 0; count < 20; count += 1) {
      const response = await api('/v1/sessions/one/events?after=999999');
      expect(response.status).toBe(200);
      closed.push(() => response.body!.cancel());
    }
    expect(reads).toEqual({ opened: 0, looks: 1 });
  });

  test('what comes later is read once for all of them', async () => {
    const { store, reads } = counting();
    const { question } = await asking(store, 'one');
    const { api } = await openServer({ store });
    await using session = await store.open('one' as SessionId, 'read');
    const after = session.version;
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => api(`/v1/sessions/one/events?after=${after}`)),
    );
    const firsts = streams.map(firstOf);
    reads.opened = 0;
    reads.looks = 0;
    const answer = JSON.stringify({ interrupt: question.id, digest: question.digest, answer: 'n' });
    expect((await api('/v1/sessions/one/answers', { method: 'POST', body: answer })).status).toBe(200);
    const opened = reads.opened;
    const texts = await Promise.all(firsts);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain(`id: ${after + 1}\n`);
    expect([reads.opened - opened, reads.looks <= 2]).toEqual([0, true]);
  });

  test('one visitor has a number of them, and others have theirs', async () => {
    const people: TokenHolder[] = ['ann', 'ben'].map((name) => ({
      name,
      token: name.padEnd(40, '-'),
      roles: ['answer', 'read'],
    }));
    const { api } = await openServer({ access: { type: 'tokens', people } });
    const stream = (of: number) =>
      api('/v1/stream', { headers: { authorization: `Bearer ${people[of]!.token}` } });
    const open = await Promise.all(Array.from({ length: 32 }, () => stream(0)));
    closed.push(() => Promise.allSettled(open.map(({ body }) => body!.cancel())).then(() => undefined));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    const refused = await stream(0);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        error: {
          code: 'BUSY',
          message: 'ann has 32 streams open, the maximum',
          hint: 'close one, or use /v1/stream, which reports every change',
        },
      },
    ]);
    const other = await stream(1);
    expect(other.status).toBe(200);
    await other.body!.cancel();
    await open[0]!.body!.cancel();
    const again = await stream(0);
    expect(again.status).toBe(200);
    closed.push(() => again.body!.cancel());
  });
});

describe('F5: HEAD of a stream', () => {
  test.each(['/v1/stream', '/v1/sessions/one/events'])('%s starts nothing, however often', async (path) => {
    const { store, reads } = counting();
    await asking(store, 'one');
    const { api } = await openServer({ store });
    reads.opened = 0;
    for (let count = 0; count < 100; count += 1)
      expect((await api(path, { method: 'HEAD' })).status).toBe(200);
    expect(reads).toEqual({ opened: 0, looks: 0 });
  });
});
