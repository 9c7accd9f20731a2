import { attacks } from './attacks.js';
import type { Asked, Try, Waiting } from './doors.js';
import { allRefused, answersOf, atDoor, bodyOf, Door, placeOf, REFUSED } from './doors.js';
import { premise } from './verdict.js';
import type { World } from './world.js';

/** The form of the way `y`, with the token that a page gave. */
async function formOf(door: Door, question: Waiting, cookie: string): Promise<string> {
  const { body } = await door.ask(placeOf(question), { headers: { cookie } });
  const form = /name="form"\s+value="([^"]*)"/u.exec(body)?.[1];
  premise(form !== undefined, 'the page has no form');
  return new URLSearchParams({ form, digest: question.digest, way: 'y' }).toString();
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function hosts(door: Door): Promise<readonly string[]> {
  const authorization = `Bearer ${door.token}`;
  const { port } = door.link;
  const names = ['evil.example', `evil.example:${port}`, '127.0.0.1:1', `localhost.evil.example:${port}`];
  const raw = [
    `GET /v1/waiting HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\nAuthorization: ${authorization}\r\n\r\n`,
    `GET http://evil.example/v1/waiting HTTP/1.1\r\nHost: evil.example\r\nAuthorization: ${authorization}\r\n\r\n`,
    `GET /v1/waiting HTTP/1.1\r\nAuthorization: ${authorization}\r\n\r\n`,
  ];
  const lines = await Promise.all(raw.map((bytes) => door.raw(bytes)));
  return [
    ...(await allRefused(
      door,
      names.map((host): Try => [host, '/v1/waiting', { headers: { host, authorization } }, 421]),
    )),
    ...lines.filter((line) => line.includes(' 200 ')),
  ];
}

async function tokens(world: World, door: Door, question: Waiting): Promise<readonly string[]> {
  const old = await Door.open(world);
  const [oldCookie, oldToken] = [await old.cookie(), old.token];
  const bearer = (token: string): Asked => ({ headers: { authorization: `Bearer ${token}` } });
  const opened = await door.ask(`/${door.link.search}`);
  const [cookie = ''] = opened.headers['set-cookie'] ?? [];
  return [
    ...(opened.headers.location === '/' ? [] : ['the token stays in the address']),
    ...(/HttpOnly/iu.test(cookie) && /SameSite=Strict/iu.test(cookie) && !cookie.includes(door.token)
      ? []
      : [`the cookie ${cookie}`]),
    ...(await allRefused(door, [
      ['no token', '/v1/waiting', {}],
      ['no token, a page', placeOf(question), {}],
      ['half of the token', '/v1/waiting', bearer(door.token.slice(0, 20))],
      ['the token of another server', '/v1/waiting', bearer(oldToken)],
      ['its link', `/?token=${oldToken}`, {}],
      ['its cookie', '/v1/waiting', { headers: { cookie: oldCookie } }],
      ['the token in the address of a program', `/v1/waiting?token=${door.token}`, {}, 303, 401, 403],
      [
        'a token in two headers',
        '/v1/waiting',
        { headers: { authorization: `Bearer x, Bearer ${door.token}` } },
      ],
    ])),
  ];
}

async function foreignPages(door: Door, question: Waiting): Promise<readonly string[]> {
  const cookie = await door.cookie();
  const body = await formOf(door, question, cookie);
  const path = `${placeOf(question)}/answer`;
  const post = (headers: Readonly<Record<string, string>>): Asked => ({
    method: 'POST',
    headers: { cookie, ...FORM, ...headers },
    body,
  });
  const noForm = new URLSearchParams({ digest: question.digest, way: 'y' }).toString();
  return allRefused(door, [
    ['another site', path, post({ 'sec-fetch-site': 'cross-site' })],
    ['another port', path, post({ 'sec-fetch-site': 'same-site' })],
    ['another origin, no Fetch-Metadata', path, post({ origin: 'https://evil.example' })],
    ['the origin null', path, post({ origin: 'null' })],
    ['a form without its token', path, { ...post({ 'sec-fetch-site': 'same-origin' }), body: noForm }],
    [
      'JSON with a cookie alone',
      answersOf(question),
      {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: bodyOf(question),
      },
    ],
    [
      'JSON as text/plain',
      answersOf(question),
      { method: 'POST', headers: { cookie, 'content-type': 'text/plain' }, body: bodyOf(question) },
    ],
    ['a link that answers', `${path}?${body}`, { headers: { cookie } }],
    [
      'a way in the address',
      `${placeOf(question)}?way=y&digest=${question.digest}`,
      { headers: { cookie } },
      200,
      400,
      404,
    ],
    ['HEAD', `${path}?${body}`, { method: 'HEAD', headers: { cookie } }],
    ['PUT', path, { ...post({}), method: 'PUT' }],
    ['a method in a header', `${path}?${body}`, { headers: { cookie, 'x-http-method-override': 'POST' } }],
  ]);
}

async function paths(door: Door, question: Waiting): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${door.token}` };
  const walks = [
    '/..%2f..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/style.css/../../package.json',
    '//etc/passwd',
    '/\\..\\..\\etc',
    '/%00',
    '/%ff',
  ];
  const ids = [
    '..%2f..',
    '%2e%2e',
    '..%5c..',
    `${question.session}%2f..%2f${question.session}`,
    '%00',
    'constructor',
    '__proto__',
    'a'.repeat(5000),
  ];
  const objections = await allRefused(door, [
    ...walks.map((path): Try => [path, path, { headers }]),
    ...ids.flatMap((id): readonly Try[] => [
      [`session ${id.slice(0, 20)}`, `/v1/sessions/${id}`, { headers }, ...REFUSED, 414, 431],
      [`page ${id.slice(0, 20)}`, `/sessions/${id}/questions/i1`, { headers }, ...REFUSED, 414, 431],
      [`events ${id.slice(0, 20)}`, `/v1/sessions/${id}/events`, { headers }, ...REFUSED, 414, 431],
    ]),
  ]);
  return objections;
}

async function bodies(door: Door, question: Waiting): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${door.token}`, 'content-type': 'application/json' };
  const { port } = door.link;
  const head = `POST ${answersOf(question)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${door.token}\r\nContent-Type: application/json\r\n`;
  const slow = door.raw(`${head}Content-Length: 1000000\r\n\r\n{`); // and nothing more
  const begun = performance.now();
  const { status } = await door.api('/v1/waiting');
  const ms = performance.now() - begun;
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const found = await allRefused(door, [
    [
      '20 MB',
      answersOf(question),
      { method: 'POST', headers, body: bodyOf(question, 'y'.repeat(20_000_000)) },
      0,
      400,
      413,
    ],
    ['a hundred thousand levels', answersOf(question), { method: 'POST', headers, body: deep }, 400],
    [
      '`__proto__`',
      answersOf(question),
      {
        method: 'POST',
        headers,
        body: `{"__proto__":{"digest":"${question.digest}"},"interrupt":"i1","answer":"y"}`,
      },
      400,
    ],
    [
      'a key twice',
      answersOf(question),
      { method: 'POST', headers, body: `{"digest":"x",${bodyOf(question).slice(1)}` },
      400,
    ],
    [
      'who answered',
      answersOf(question),
      { method: 'POST', headers, body: `{"by":{"name":"the boss"},${bodyOf(question).slice(1)}` },
      400,
    ],
  ]);
  const told = await slow;
  return [
    ...found,
    ...(status === 200 && ms < 2000
      ? []
      : [`a slow body holds up others: ${String(status)} after ${String(Math.round(ms))} ms`]),
    ...(told.includes(' 200 ') ? ['half a body was taken'] : []),
  ];
}

async function smuggled(door: Door, question: Waiting): Promise<readonly string[]> {
  const { port } = door.link;
  const body = bodyOf(question);
  const inner = `POST ${answersOf(question)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${door.token}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  const head = `POST /v1/nothing HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  const lines = await Promise.all([
    door.raw(`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`),
    door.raw(`${head}Content-Length: 0\r\nContent-Length: ${String(inner.length)}\r\n\r\n${inner}`),
    door.raw(`${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${inner}`),
    door.raw(`${head}X-A: b\r\n Authorization: Bearer ${door.token}\r\nContent-Length: 0\r\n\r\n`),
    door.raw(
      `GET /v1/waiting\x00 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${door.token}\r\n\r\n`,
    ),
  ]);
  return lines.filter((line) => line.includes(' 200 '));
}

attacks('The doors of `hitl serve`: who comes in, and what a request may be', [
  { id: 'S1', tried: 'another host, two hosts, none', run: async (world) => atDoor(world, hosts) },
  {
    id: 'S2',
    tried: 'no token, another server’s, its link and cookie again',
    run: async (world) => atDoor(world, async (door, question) => tokens(world, door, question)),
  },
  {
    id: 'S3',
    tried: 'forms of other sites, a link that answers, other methods',
    run: async (world) => atDoor(world, foreignPages),
  },
  { id: 'S4', tried: 'paths and ids that lead elsewhere', run: async (world) => atDoor(world, paths) },
  {
    id: 'S5',
    tried: 'bodies that are huge, slow, deep, doubled, or name who answers',
    run: async (world) => atDoor(world, bodies),
  },
  {
    id: 'S6',
    tried: 'a request inside another, headers in two forms',
    run: async (world) => atDoor(world, smuggled),
  },
]);
