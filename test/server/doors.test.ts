import { describe, expect, test } from 'vitest';

import { openStore } from '../../src/index.js';
import type { Access, HitlServer } from '../../src/server/index.js';
import { createServer, loopbackHosts, readTokenFile } from '../../src/server/index.js';
import { signInsInMemory } from '../../src/server/doors/cookie.js';
import { fakeClock } from '../../src/testing/index.js';
import type { Opened } from './server-harness.js';
import { asking, HOME, HOST, openServer, PORT, TOKEN, valueIn } from './server-harness.js';

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
    const request = new Request(`http://${HOME}/?token=${TOKEN}`, { headers: { host: HOME } });
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

  test('want the token of a form from a browser that speaks JSON, however the path is spelled (F3)', async () => {
    const { store, server, browser } = await openServer();
    const { question } = await asking(store, 'one');
    const { cookie } = await browser();
    const body = JSON.stringify({ interrupt: question.id, digest: question.digest, answer: 'y' });
    const headers = {
      host: HOME,
      cookie,
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    };
    for (const path of [
      '/v1/sessions/one/answers',
      '/%761/sessions/one/answers',
      '/v%31/sessions/one/answers',
    ]) {
      const request = new Request(`http://${HOME}${path}`, { method: 'POST', body, headers });
      expect((await server.fetch(request, '127.0.0.1')).status).toBe(403);
    }
  });
});

describe('a cookie', () => {
  const old = 'a'.repeat(40);
  const people = (token = old, name = 'ann') => ({
    access: { type: 'tokens', people: [{ name, token, roles: ['answer', 'read'] as const }] } as const,
  });
  const key = new Uint8Array(32).fill(7);
  const signIns = () => signInsInMemory(key);

  /** The cookie that a sign-in with a token gives. */
  async function cookieOf({ server }: Opened, token = old): Promise<string> {
    const response = await signIn(server, token);
    return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  }

  /** The status of the first page for whoever has a cookie. */
  async function statusWith({ server }: Opened, cookie: string, host = HOME): Promise<number> {
    const request = new Request(`http://${host}/`, { headers: { host, cookie } });
    return (await server.fetch(request, '127.0.0.1')).status;
  }

  test('signs in at another start of the same server', async () => {
    const cookie = await cookieOf(await openServer({ ...people(), signIns: signIns() }));
    expect(await statusWith(await openServer({ ...people(), signIns: signIns() }), cookie)).toBe(200);
  });

  test.for([
    ['its token was replaced', { ...people('b'.repeat(40)) }],
    ['its name was taken away', { ...people(old, 'ben') }],
    ['the server has another way in', { access: { type: 'link', token: old, name: 'ann' } as const }],
    ['the server is at another address', { ...people(), origin: `http://other.localhost:${PORT}` }],
    ['the server has another key', { ...people(), signIns: signInsInMemory(new Uint8Array(32)) }],
  ] as const)('is nothing once %s (F2)', async ([, options]) => {
    const cookie = await cookieOf(await openServer({ ...people(), signIns: signIns() }));
    const next = await openServer({ signIns: signIns(), ...options });
    expect(await statusWith(next, cookie, new URL(next.server.origin).host)).toBe(401);
  });

  test('is nothing after its person signed out, in whichever browser (F2)', async () => {
    const kept = signIns();
    const opened = await openServer({ ...people(), signIns: kept });
    const [one, other] = [await cookieOf(opened), await cookieOf(opened)];
    const out = await post(
      opened.server,
      '/sign-out',
      { form: await formTokenOf(opened, one) },
      { cookie: one },
    );
    expect([out.status, out.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('Max-Age=0')]);
    const again = await openServer({ ...people(), signIns: kept });
    expect([await statusWith(opened, one), await statusWith(again, other)]).toEqual([401, 401]);
    expect(await statusWith(opened, await cookieOf(opened))).toBe(200);
  });

  test('is given and read at the server’s own host alone; programs call at any (F16)', async () => {
    const opened = await openServer(people());
    const cookie = await cookieOf(opened);
    const atOther = new Request(`http://${HOST}/v1/waiting`, { headers: { host: HOST, cookie } });
    expect((await opened.server.fetch(atOther, '127.0.0.1')).status).toBe(401);
    const page = await opened.server.fetch(
      new Request(`http://${HOST}/sessions?x=1`, { headers: { host: HOST, cookie } }),
      '127.0.0.1',
    );
    expect([page.status, page.headers.get('location'), page.headers.get('set-cookie')]).toEqual([
      ...[303, `http://${HOME}/sessions?x=1`, null],
    ]);
    const signedIn = await post(opened.server, '/sign-in', { token: old }, { host: HOST });
    expect([signedIn.status, signedIn.headers.get('set-cookie')]).toEqual([403, null]);
    const bearer = { host: HOST, authorization: `Bearer ${old}` };
    const api = new Request(`http://${HOST}/v1/waiting`, { headers: bearer });
    expect((await opened.server.fetch(api, '127.0.0.1')).status).toBe(200);
  });

  test('is of a host that no other server of this machine has, unless another is named (F16)', async () => {
    const access = { type: 'link', token: TOKEN, name: 'ann' } as const;
    const make = () => createServer({ store: openStore(), access, port: PORT, hosts: loopbackHosts(PORT) });
    const [one, other] = [await make(), await make()];
    expect(one.origin).toMatch(/^http:\/\/[0-9a-f]{20}\.localhost:4680$/u);
    expect(one.origin).not.toBe(other.origin);
  });
});

describe('signing in and out', () => {
  test.for([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['another origin, in an older browser', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
  ] as const)('is refused to a form of %s (F4)', async ([, headers]) => {
    const opened = await openServer();
    const { server, browser } = opened;
    const into = await post(server, '/sign-in', { token: TOKEN }, headers);
    expect([into.status, into.headers.get('set-cookie')]).toEqual([403, null]);
    const { cookie, get } = await browser();
    const form = await formTokenOf(opened, cookie);
    const out = await post(server, '/sign-out', { form }, { cookie, ...headers });
    expect([out.status, (await get('/')).status]).toEqual([403, 200]);
  });

  test('a sign-out without the token of its form is refused (F4)', async () => {
    const { server, browser } = await openServer();
    const { cookie, get } = await browser();
    for (const form of ['', 'x'.repeat(43)])
      expect((await post(server, '/sign-out', { form }, { cookie })).status).toBe(403);
    expect((await get('/')).status).toBe(200);
  });

  test('reads few bytes before anybody is known', async () => {
    const { server } = await openServer();
    expect((await post(server, '/sign-in', { token: 'x'.repeat(20_000) })).status).toBe(400);
  });

  test('the page says whose token, and where it is from (adopter 11)', async () => {
    const words = async (access: Access) => {
      const { server } = await openServer({ access });
      const page = await server.fetch(new Request(`http://${HOME}/`, { headers: { host: HOME } }), '1.2.3.4');
      return /<p class="dim">([^]*?)<\/p>/u
        .exec(await page.text())?.[1]
        ?.replaceAll(/<[^>]+>/gu, '')
        .replaceAll(/\s+/gu, ' ')
        .trim();
    };
    expect(await words({ type: 'link', token: TOKEN, name: 'ann' })).toBe(
      'Open the link that hitl serve printed at start. The token is at the end of the link.',
    );
    expect(await words({ type: 'tokens', people: [{ name: 'ann', token: TOKEN }] })).toBe(
      'Enter your own token. If you have none, ask the administrator of this server.',
    );
  });

  test('leaves a line in the log, and so does what is refused; each is escaped, and no more than thirty a minute are written', async () => {
    const lines: string[] = [];
    const clock = fakeClock();
    const people = [{ name: 'bot', token: TOKEN, roles: ['ask'] as const }];
    const { server, api } = await openServer({
      ...{ access: { type: 'tokens', people }, clock },
      log: (line) => {
        lines.push(line);
      },
    });
    await signIn(server, TOKEN);
    await signIn(server, 'wrong');
    await api('/v1/waiting', { headers: { authorization: 'Bearer wrong' } });
    await api('/v1/sessions/one\u202e/answers', { method: 'POST', body: '{}' });
    expect(lines).toEqual([
      'signed in: bot from 127.0.0.1',
      'refused: sign-in from 127.0.0.1: unknown token',
      'refused: GET /v1/waiting from 127.0.0.1: unknown token',
      'refused: POST /v1/sessions/one%E2%80%AE/answers from bot at 127.0.0.1: bot does not have the role answer',
    ]);
    for (let tries = 0; tries < 50; tries += 1) await signIn(server, 'wrong');
    expect(lines).toHaveLength(30);
    await clock.advance(60_000);
    await signIn(server, 'wrong');
    expect(lines.slice(30)).toEqual([
      '24 more lines like these in the previous minute',
      'refused: sign-in from 127.0.0.1: unknown token',
    ]);
  });

  test('a name is shown with everything in it that could deceive spelled out', async () => {
    const access = { type: 'link', token: TOKEN, name: 'ann\u202e' } as const;
    const { browser } = await openServer({ access });
    expect(await (await (await browser()).get('/')).text()).toContain('signed in as ann\\u{202E}');
  });
});

describe('a token file', () => {
  const token = 'a'.repeat(32);

  test('names somebody on each line, with groups and roles where they stand', () => {
    const text = `# people\nann ${token}\n\nben ${'b'.repeat(40)} groups=ops,finance roles=answer,read\nbot ${'c'.repeat(40)} roles=ask\n`;
    expect(readTokenFile(text)).toEqual([
      { name: 'ann', token },
      { name: 'ben', token: 'b'.repeat(40), groups: ['ops', 'finance'], roles: ['answer', 'read'] },
      { name: 'bot', token: 'c'.repeat(40), roles: ['ask'] },
    ]);
  });

  test.for([
    ['', 'the token file is empty'],
    ['ann', 'missing token on line 1 of the token file'],
    ['ann short', 'the token on line 1 of the token file has 5 characters; at least 32 are required'],
    [`ann ${token}\nben ${token}`, 'duplicate name or token on line 2 of the token file'],
    [`ann ${token}\nANN ${'b'.repeat(32)}`, 'duplicate name or token on line 2 of the token file'],
    [`unknown ${token}`, 'invalid name on line 1 of the token file: `unknown` is not a valid name'],
    [`ann ${token} ops`, 'invalid text after the token on line 1 of the token file'],
    [`ann ${token} groups=`, 'invalid text after the token on line 1 of the token file'],
    [`ann ${token} roles=boss`, 'unknown role "boss" on line 1 of the token file'],
    [
      `bot ${token} roles=ask,answer`,
      'the roles ask and answer cannot be used together on line 1 of the token file',
    ],
  ])('is refused where it says %j', ([text = '', message]) => {
    expect(() => readTokenFile(text)).toThrow(expect.objectContaining({ code: 'BAD_CONFIG', message }));
  });
});

/** Signs in by the form. */
function signIn(server: HitlServer, token: string): Promise<Response> {
  return post(server, '/sign-in', { token });
}

function post(
  server: HitlServer,
  path: string,
  fields: Record<string, string>,
  given: Record<string, string> = {},
): Promise<Response> {
  const headers = new Headers({ host: HOME, 'sec-fetch-site': 'same-origin' });
  for (const [name, value] of Object.entries(given))
    if (value === '') headers.delete(name);
    else headers.set(name, value);
  const body = new URLSearchParams(fields);
  return server.fetch(new Request(`http://${HOME}${path}`, { method: 'POST', body, headers }), '127.0.0.1');
}

/** The token of the forms of a browser. */
async function formTokenOf({ server }: Opened, cookie: string): Promise<string> {
  const page = await server.fetch(
    new Request(`http://${HOME}/`, { headers: { host: HOME, cookie } }),
    '127.0.0.1',
  );
  return valueIn(await page.text(), 'form');
}
