import { describe, expect, test } from 'vitest';

import { readTokenFile } from '../../src/server/index.js';
import { asking, HOST, openServer, TOKEN } from './server-harness.js';

describe('the doors of the server', () => {
  test.for([
    ['no token', {}, 401],
    ['a wrong token', { authorization: `Bearer ${TOKEN}x` }, 401],
    ['a cookie that nobody signed', { cookie: 'hitl-4680=W10.AAAA' }, 401],
    ['another host', { host: 'evil.example:4680', authorization: `Bearer ${TOKEN}` }, 421],
    ['another port of this host', { host: '127.0.0.1:80', authorization: `Bearer ${TOKEN}` }, 421],
    ['the token', { authorization: `Bearer ${TOKEN}` }, 200],
  ] as const)('answer %s with %o: %i', async ([, headers, status]) => {
    const { server } = await openServer();
    const request = new Request(`http://${HOST}/v1/waiting`, { headers: { host: HOST, ...headers } });
    expect((await server.fetch(request, '127.0.0.1')).status).toBe(status);
  });

  test('take the token of the link out of the address, and give a cookie that scripts and other sites have not', async () => {
    const { server } = await openServer();
    const request = new Request(`http://${HOST}/?token=${TOKEN}`, { headers: { host: HOST } });
    const response = await server.fetch(request, '127.0.0.1');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    expect(response.headers.get('set-cookie')).toMatch(
      /^hitl-4680=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/u,
    );
    expect(response.headers.get('set-cookie')).not.toContain(TOKEN);
  });

  test('say on every answer what a browser may do with it', async () => {
    const { browser } = await openServer();
    for (const path of ['/', '/style.css', '/nothing', '/v1/nothing']) {
      const { headers } = await (await browser()).get(path);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test.for([
    ['another site', { 'sec-fetch-site': 'cross-site' }, {}],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }, {}],
    ['another origin, in an older browser', { 'sec-fetch-site': '', origin: 'https://evil.example' }, {}],
    ['an origin that is hidden', { 'sec-fetch-site': '', origin: 'null' }, {}],
    ['a form without its token', {}, { form: '' }],
    ['a form with a token of another browser', {}, { form: 'x'.repeat(43) }],
  ] as const)('answer nothing for %s', async ([, headers, fields]) => {
    const { store, browser } = await openServer();
    const { place, session } = await asking(store, 'one');
    const { send } = await browser();
    const response = await send(`${place}/answer`, { way: 'y', ...fields }, headers);
    expect(response.status).toBe(403);
    await using read = await store.open(session, 'read');
    expect(read.state.resolved.length).toBe(0);
  });

  test.for([
    ['a page of this server', 'same-origin', 'cors', 200],
    ['a page of another site', 'cross-site', 'no-cors', 403],
    ['a page of another port', 'same-site', 'cors', 403],
    ['a link on another site', 'cross-site', 'navigate', 200],
    ['an address that was typed', 'none', 'navigate', 200],
  ] as const)('show what waits to %s (%s, %s): %i', async ([, site, mode, status]) => {
    const { browser } = await openServer();
    const { get } = await browser();
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode };
    expect((await get('/v1/waiting', headers)).status).toBe(status);
  });

  test('change nothing for whoever only gets a page', async () => {
    const { store, browser } = await openServer();
    const { place, session, question } = await asking(store, 'one');
    const { get } = await browser();
    await get(`${place}/answer?way=y&digest=${question.digest}`);
    await get(`${place}?way=y&digest=${question.digest}`);
    await using read = await store.open(session, 'read');
    expect(read.state.resolved.length).toBe(0);
  });

  test('want the token of a form from a browser that speaks JSON', async () => {
    const { store, server, browser } = await openServer();
    const { question } = await asking(store, 'one');
    const { cookie } = await browser();
    const body = JSON.stringify({ interrupt: question.id, digest: question.digest, answer: 'y' });
    const headers = {
      host: HOST,
      cookie,
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    };
    const request = new Request(`http://${HOST}/v1/sessions/one/answers`, { method: 'POST', body, headers });
    expect((await server.fetch(request, '127.0.0.1')).status).toBe(403);
  });
});

describe('a proxy in front', () => {
  const access = { type: 'proxy', trusted: ['10.0.0.7'], issuer: 'https://login.example.org' } as const;
  const named = { host: HOST, 'x-auth-request-user': 'u-17', 'x-auth-request-email': 'ann@example.org' };

  test.for([
    ['from its address', '10.0.0.7', named, 200],
    ['from its address as IPv6 writes it', '::ffff:10.0.0.7', named, 200],
    ['from elsewhere', '10.0.0.8', named, 403],
    [
      'from elsewhere, with its address in a header',
      '10.0.0.8',
      { ...named, 'x-forwarded-for': '10.0.0.7' },
      403,
    ],
    ['naming nobody', '10.0.0.7', { host: HOST }, 401],
    ['with a token beside the name', '10.0.0.7', { ...named, authorization: `Bearer ${TOKEN}` }, 403],
  ] as const)('is believed %s: %s', async ([, address, headers, status]) => {
    const { server } = await openServer({ access });
    const request = new Request(`http://${HOST}/`, { headers });
    expect((await server.fetch(request, address)).status).toBe(status);
  });
});

describe('a token file', () => {
  const token = 'a'.repeat(32);

  test('names a person on each line, with groups where they stand', () => {
    expect(readTokenFile(`# people\nann ${token}\n\nben ${'b'.repeat(40)} ops,finance\n`)).toEqual([
      { name: 'ann', token },
      { name: 'ben', token: 'b'.repeat(40), groups: ['ops', 'finance'] },
    ]);
  });

  test.for(['', 'ann', 'ann short', `ann ${token}\nben ${token}`, `ann ${token} ops more`])(
    'is refused where it says %j',
    (text) => {
      expect(() => readTokenFile(text)).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }));
    },
  );
});
