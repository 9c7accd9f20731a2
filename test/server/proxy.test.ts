import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { openStore } from '../../src/index.js';
import type { HitlServer, ProxyAccess } from '../../src/server/index.js';
import { THROUGH_SOCKET } from '../../src/server/doors/proxy.js';
import { createServer, listen } from '../../src/server/index.js';
import { asking, openServer, PORT, valueIn } from './server-harness.js';

const SECRET = 's'.repeat(40);
const URL_HOST = 'hitl.example.org';
const access = {
  ...{ type: 'proxy', headers: 'x-auth-request', issuer: 'https://login.example.org' },
  proof: { type: 'secret', secret: SECRET },
} as const satisfies ProxyAccess;

/** A server behind a proxy. */
async function behind(more: Partial<ProxyAccess> = {}) {
  return openServer({ access: { ...access, ...more }, origin: `https://${URL_HOST}`, port: PORT });
}

type Headers = Readonly<Record<string, string>>;
const proved = { host: URL_HOST, 'x-hitl-proxy-secret': SECRET };
const ann = { ...proved, 'x-auth-request-user': 'u-17', 'x-auth-request-email': 'ann@example.org' };

/** A request of the proxy. */
function send(
  { server }: { server: HitlServer },
  headers: Headers,
  init: RequestInit = {},
  repeated: string[] = [],
) {
  const asked = new Request(`http://${URL_HOST}/`, { ...init, headers });
  return server.fetch(asked, '10.0.0.7', repeated);
}

/** Why a request was refused, as a page says it; its visitor where it was not. */
async function outcome(response: Response): Promise<readonly [number, string | undefined]> {
  const page = (await response.text()).replaceAll('&#39;', "'");
  const why = /Refused: (.*)\.</u.exec(page)?.[1] ?? /signed in as ([^<]*)</u.exec(page)?.[1];
  return [response.status, why];
}

describe('a proxy in front', () => {
  const strange = (name: string) => `the proxy passed ${name}, but this server reads x-auth-request-user`;

  test.for<readonly [string, Headers, number, string]>([
    ['its secret', ann, 200, 'ann@example.org'],
    [
      'no secret',
      { ...ann, 'x-hitl-proxy-secret': '' },
      403,
      'only the proxy may call this server: x-hitl-proxy-secret is missing or wrong',
    ],
    [
      'another secret',
      { ...ann, 'x-hitl-proxy-secret': `${SECRET}x` },
      403,
      'only the proxy may call this server: x-hitl-proxy-secret is missing or wrong',
    ],
    [
      'a secret of two headers',
      { ...ann, 'x-hitl-proxy-secret': `${SECRET}, ${SECRET}` },
      403,
      'only the proxy may call this server: x-hitl-proxy-secret is missing or wrong',
    ],
    ['nobody', proved, 401, 'the proxy did not identify a user'],
    [
      'a token beside the name',
      { ...ann, authorization: 'Bearer x' },
      403,
      'tokens are not accepted behind a proxy',
    ],
    ['a user of the other family', { ...ann, 'x-forwarded-user': 'boss' }, 403, strange('x-forwarded-user')],
    [
      'an email of the other family',
      { ...ann, 'x-forwarded-email': 'boss@example.org' },
      403,
      strange('x-forwarded-email'),
    ],
    [
      'groups of the other family',
      { ...ann, 'x-forwarded-groups': 'ops' },
      403,
      strange('x-forwarded-groups'),
    ],
    [
      'an empty header of the other family',
      { ...ann, 'x-forwarded-preferred-username': '' },
      403,
      strange('x-forwarded-preferred-username'),
    ],
    ['only the other family', { ...proved, 'x-forwarded-user': 'boss' }, 403, strange('x-forwarded-user')],
    [
      'two users that were joined',
      { ...ann, 'x-auth-request-user': 'ann, boss' },
      403,
      'the request has x-auth-request-user more than once',
    ],
    [
      'two emails that were joined',
      { ...ann, 'x-auth-request-email': 'a@b,c@d' },
      403,
      'the request has x-auth-request-email more than once',
    ],
    [
      'a name that nobody can see',
      { ...ann, 'x-auth-request-user': 'a\u00ad' },
      403,
      'the name contains invisible characters',
    ],
  ])('with %s is let in by its name, or refused with the reason (F1)', async ([, headers, status, why]) => {
    expect(await outcome(await send(await behind(), headers))).toEqual([status, why]);
  });

  test('with a header twice is refused, as the connection had it (F1)', async () => {
    const opened = await behind();
    for (const name of ['x-auth-request-user', 'x-auth-request-groups'])
      expect(await outcome(await send(opened, ann, {}, [name]))).toEqual([
        403,
        `the request has ${name} more than once`,
      ]);
    expect((await send(opened, ann, {}, ['x-hitl-proxy-secret'])).status).toBe(403);
  });

  test('names people by the family that was chosen, and no other (F1)', async () => {
    const opened = await behind({ headers: 'x-forwarded' });
    const other = { ...proved, 'x-forwarded-user': 'u-17', 'x-forwarded-preferred-username': 'ann' };
    expect(await outcome(await send(opened, other))).toEqual([200, 'ann']);
    expect((await send(opened, ann)).status).toBe(403);
  });

  test('is called by the host of its address alone (F1)', async () => {
    const opened = await behind();
    for (const host of ['127.0.0.1:4680', 'localhost:4680', `own.localhost:${PORT}`])
      expect((await send(opened, { ...ann, host })).status).toBe(421);
  });

  test('counts from the addresses that are named, where some are', async () => {
    const opened = await behind({ trusted: ['10.0.0.8'] });
    expect((await send(opened, ann)).status).toBe(403);
    expect((await send(await behind({ trusted: ['10.0.0.7'] }), ann)).status).toBe(200);
  });

  test('through its socket needs no secret, and from anywhere else has no other proof (F1)', async () => {
    const { server } = await behind({ proof: { type: 'socket' } });
    const asked = () =>
      new Request(`http://${URL_HOST}/`, { headers: { ...ann, 'x-hitl-proxy-secret': '' } });
    expect((await server.fetch(asked(), THROUGH_SOCKET)).status).toBe(200);
    expect((await server.fetch(asked(), '127.0.0.1')).status).toBe(403);
    expect((await server.fetch(asked(), '')).status).toBe(403);
  });

  test.for(['', 'short', `${'s'.repeat(40)} ${'s'.repeat(40)}`])(
    'is not started with the secret %j, which proves nothing (F1)',
    async (secret) => {
      await expect(behind({ proof: { type: 'secret', secret } })).rejects.toMatchObject({
        code: 'BAD_CONFIG',
      });
    },
  );

  test('gives no cookie, and a form carries the token of its person (F2)', async () => {
    const opened = await behind();
    const { place, question } = await asking(opened.store, 'one');
    const page = await opened.server.fetch(
      new Request(`http://${URL_HOST}${place}`, { headers: ann }),
      '10.0.0.7',
    );
    expect(page.headers.get('set-cookie')).toBeNull();
    const form = valueIn(await page.text(), 'form');
    const answer = (headers: Headers) => {
      const body = new URLSearchParams({ form, digest: question.digest, way: 'y' });
      const init = { method: 'POST', body, headers: { ...headers, 'sec-fetch-site': 'same-origin' } };
      return opened.server.fetch(new Request(`http://${URL_HOST}${place}/answer`, init), '10.0.0.7');
    };
    expect((await answer({ ...ann, 'x-auth-request-user': 'u-18' })).status).toBe(403);
    expect((await answer(ann)).status).toBe(303);
  });

  test('signs nobody in or out here', async () => {
    const opened = await behind();
    for (const way of ['/sign-in', '/sign-out']) {
      const init = { method: 'POST', body: new URLSearchParams({ token: 'x' }), headers: ann };
      const asked = new Request(`http://${URL_HOST}${way}`, init);
      expect((await opened.server.fetch(asked, '10.0.0.7')).status).toBe(404);
    }
  });

  test('says which groups have which roles; without groups people have the least (F1)', async () => {
    const opened = await behind({
      roles: new Map([
        ['ops', ['read']],
        ['bots', ['ask']],
      ]),
    });
    await asking(opened.store, 'one');
    const sessions = async (groups: Headers) => {
      const asked = new Request(`http://${URL_HOST}/v1/sessions`, { headers: { ...ann, ...groups } });
      return ((await (await opened.server.fetch(asked, '10.0.0.7')).json()) as { items: unknown[] }).items
        .length;
    };
    expect([
      await sessions({}),
      await sessions({ 'x-auth-request-groups': 'ops' }),
      await sessions({ 'x-auth-request-groups': 'staff, ops' }),
      await sessions({ 'x-auth-request-groups': 'bots' }),
    ]).toEqual([0, 1, 1, 0]);
  });
});

/** The lines for nginx that the guide has. */
const GUIDE =
  /```nginx\n([^]*?)```/u.exec(
    readFileSync(new URL('../../docs/guides/serve.md', import.meta.url), 'utf8'),
  )?.[1] ?? '';

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

describe.skipIf(!hasNginx)('a real nginx in front (needs `nginx` on this machine)', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hitl-nginx-'));
  const socket = path.join(folder, 'hitl', 'serve.sock');
  const front = path.join(folder, 'front.sock');
  const store = openStore();
  const listening: { close(): Promise<void> }[] = [];
  let nginx: ReturnType<typeof spawn> | undefined;

  /** The lines of the guide, with a sign-in in the place of oauth2-proxy: a cookie says who it is. */
  const config = (direct: number) => `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server {
    listen unix:${folder}/login.sock;
    location / {
      add_header X-Auth-Request-User $cookie_user always;
      add_header X-Auth-Request-Groups $cookie_groups always;
      return 202;
    }
  }
  server {
    listen unix:${front};
    location = /oauth2/auth { internal; proxy_pass http://unix:${folder}/login.sock:; proxy_pass_request_body off; }
    ${GUIDE.replaceAll('/run/hitl/serve.sock', socket).replace(/\}\s*$/u, '')}
      location /by-secret/ {
        proxy_set_header X-Auth-Request-User $user;
        proxy_set_header X-Hitl-Proxy-Secret "${SECRET}";
        proxy_set_header Host $host;
        proxy_pass http://127.0.0.1:${direct}/;
      }
    }
  }
}
`;

  beforeAll(async () => {
    mkdirSync(path.dirname(socket), { mode: 0o700 });
    const origin = `https://${URL_HOST}`;
    const roles = new Map([['ops', ['read'] as const]]);
    const make = (proof: ProxyAccess['proof']) => (port: number) =>
      createServer({ store, access: { ...access, roles, proof }, port, hosts: [], origin });
    const bySecret = await listen(make(access.proof));
    listening.push(bySecret, await listen(make({ type: 'socket' }), { path: socket }));
    writeFileSync(path.join(folder, 'nginx.conf'), config(bySecret.port));
    chmodSync(folder, 0o755);
    nginx = spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
    await vi.waitFor(async () => {
      expect((await visit({})).status).toBeGreaterThan(0);
    }, 10_000);
    await asking(store, 'one');
  });

  afterAll(async () => {
    nginx?.kill();
    for (const one of listening) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A browser at nginx. */
  function visit(headers: Readonly<Record<string, string | readonly string[]>>, place = '/') {
    return new Promise<{
      readonly status: number;
      readonly who: string | undefined;
      readonly sessions: number;
    }>((resolve, reject) => {
      const options = { socketPath: front, path: place, headers: { host: URL_HOST, ...headers } };
      const asked = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => {
          const who = /signed in as ([^<]*)</u.exec(text)?.[1];
          const sessions = text.split('href="/sessions/').length - 1;
          resolve({ status: response.statusCode ?? 0, who, sessions });
        });
      });
      asked.on('error', reject).end();
    });
  }

  test('passes on whom it signed in, by its socket and by its secret, and nothing that a client wrote (F1)', async () => {
    const carol = { cookie: 'user=carol', authorization: 'Bearer x' };
    const boss = {
      'X-Auth-Request-User': 'boss',
      'X-Auth-Request-Groups': 'ops',
      'X-Forwarded-Groups': 'ops',
    };
    for (const headers of [carol, { ...carol, ...boss }, { ...carol, 'X-Forwarded-User': ['boss', 'boss'] }])
      expect(await visit(headers, '/sessions')).toEqual({ status: 200, who: 'carol', sessions: 0 });
    expect(await visit({ cookie: 'user=dan; groups=ops' }, '/sessions')).toEqual({
      ...{ status: 200, who: 'dan', sessions: 1 },
    });
    expect(await visit({}, '/')).toMatchObject({ status: 401 });
    expect(await visit({ cookie: 'user=carol' }, '/by-secret/')).toMatchObject({ status: 200, who: 'carol' });
  });

  test('that does not take away what a client wrote of the other family is refused (F1)', async () => {
    const mallory = { cookie: 'user=mallory', 'X-Forwarded-User': 'boss' };
    expect(await visit(mallory, '/by-secret/')).toMatchObject({ status: 403 });
  });
});
