import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { Lookup } from '../../src/outgoing/index.js';
import { guardedPost } from '../../src/outgoing/index.js';

const HERE = ['127.0.0.1'];

/** A receiver on this machine; `requests` counts who came. */
async function receiver(answer: Parameters<typeof createServer>[1]) {
  const seen = { requests: 0 };
  const server = createServer((request, response) => {
    seen.requests += 1;
    (answer as (one: typeof request, other: typeof response) => void)(request, response);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, port, seen };
}

/** Names that lead somewhere else with each look. */
function turning(...answers: readonly (readonly string[])[]): Lookup & { looks: number } {
  const lookup = Object.assign(
    (_name: string, _options: unknown, done: (error: null, found: LookupAddress[]) => void) => {
      const found = answers[Math.min(lookup.looks, answers.length - 1)] ?? [];
      lookup.looks += 1;
      done(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
    { looks: 0 },
  );
  return lookup;
}

const post = (
  url: string,
  { allow = HERE, ...world }: { allow?: readonly string[]; lookup?: Lookup; limitMs?: number } = {},
) => guardedPost(world)({ url, headers: {}, body: '{}', allow });

describe('a guarded post', () => {
  test('A header that cannot be sent is a failure for good, which does not tell it.', async () => {
    const headers = { authorization: 'Bearer se\ncret' };
    expect(await guardedPost()({ url: 'https://example.com/', headers, body: '{}', allow: [] })).toEqual({
      ...{ type: 'failed', forGood: true },
      why: 'invalid header or URL',
    });
  });

  test.each([
    ['http://example.com/', 'only https is allowed'],
    ['ftp://example.com/', 'only https is allowed'],
    ['https://ann:secret@example.com/', 'must not contain a user name or password'],
    ['https://127.0.0.1/', '127.0.0.1 is a private network address'],
    ['https://2130706433/', '127.0.0.1 is a private network address'],
    ['https://0x7f.1/', '127.0.0.1 is a private network address'],
    ['https://169.254.169.254/latest/meta-data', '169.254.169.254 is a private network address'],
    ['https://[::ffff:10.0.0.1]/', 'is a private network address'],
    ['https://[64:ff9b::a00:1]/', 'is a private network address'],
    ['https://[fe80::1]/', 'is a private network address'],
    ['nonsense', 'invalid URL'],
  ])('It connects to nothing for %s.', async (url, why) => {
    const lookup = turning(['93.184.215.14']);
    const reply = await post(url, { allow: [], lookup, limitMs: 1 });
    expect(reply).toMatchObject({
      type: 'failed',
      forGood: true,
      why: expect.stringContaining(why) as string,
    });
  });

  test.each([[['10.0.0.1']], [['93.184.215.14', '::1']], [['fd00:ec2::254']]])(
    'A name that leads to %j is refused, whatever else it leads to.',
    async (addresses) => {
      const reply = await post('https://hooks.example.com/', { lookup: turning(addresses) });
      expect(reply).toMatchObject({ type: 'failed', forGood: true });
    },
  );

  test('A name that changes between the look and the connection is looked up once: what was looked at is connected to.', async () => {
    const inner = await receiver((_request, response) => {
      response.end();
    });
    const lookup = turning(['127.0.0.1'], ['10.0.0.1']);
    const reply = await post(`http://hooks.example.com:${inner.port}/`, { lookup });
    expect([reply.type, lookup.looks, inner.seen.requests]).toEqual(['answered', 1, 1]);
    const turned = turning(['10.0.0.1'], ['127.0.0.1']);
    expect(await post(`http://hooks.example.com:${inner.port}/`, { lookup: turned })).toMatchObject({
      forGood: true,
    });
    expect([turned.looks, inner.seen.requests]).toEqual([1, 1]);
  });

  test('What is connected to in the end is looked at again, whatever the look-up said.', async () => {
    const inner = await receiver((_request, response) => {
      response.end();
    });
    const said = ['127.0.0.2'];
    const lying: LookupAddress = {
      family: 4,
      get address() {
        return said.shift() ?? '127.0.0.1';
      },
    };
    const lookup: Lookup = (_name, _options, done) => {
      done(null, [lying]);
    };
    const reply = await post(`http://hooks.example.com:${inner.port}/`, { allow: ['127.0.0.2'], lookup });
    expect([reply, inner.seen.requests]).toMatchObject([{ type: 'failed', forGood: true }, 0]);
  });

  test('A redirect to this machine is not followed.', async () => {
    const inner = await receiver((_request, response) => {
      response.end();
    });
    const outer = await receiver((_request, response) => {
      response.writeHead(302, { location: inner.url }).end();
    });
    expect([await post(outer.url), inner.seen.requests]).toEqual([
      { type: 'answered', status: 302, text: '' },
      0,
    ]);
  });

  test('Of an answer without an end the beginning is read, and the connection is closed.', async () => {
    let written = 0;
    const endless = await receiver((_request, response) => {
      const more = (): void => {
        if (response.destroyed) return;
        written += 65_536;
        if (response.write(Buffer.alloc(65_536, 'x'))) setImmediate(more);
      };
      response.on('drain', more);
      more();
    });
    const reply = await post(endless.url);
    expect(reply).toMatchObject({ type: 'answered', status: 200 });
    expect(reply.type === 'answered' && reply.text.length <= 65_536).toBe(true);
    expect(written).toBeLessThan(20_000_000);
  });

  test.each([
    ['never answers', () => undefined],
    [
      'answers drop by drop',
      (_request: unknown, response: { write: (text: string) => void }) => {
        setInterval(() => {
          response.write('.');
        }, 5).unref();
      },
    ],
  ])('A receiver that %s is given up in time.', async (_title, answer) => {
    const slow = await receiver(answer);
    expect(await post(slow.url, { limitMs: 60 })).toEqual({ type: 'failed', why: 'no answer within 0.06 s' });
  });

  test('What nobody listens to can be tried again, and its address is not told.', async () => {
    const gone = await receiver(() => undefined);
    const url = `http://127.0.0.1:1/secret`;
    expect(await post(url)).toEqual({ type: 'failed', why: 'unreachable (ECONNREFUSED)' });
    expect(gone.seen.requests).toBe(0);
  });
});
