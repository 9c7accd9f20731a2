import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

const TOKEN = { ann: 'a'.repeat(40), ben: 'b'.repeat(40) } as const;
const URL = ['--url', 'https://hitl.example.org'];
const PROXY = ['--auth', 'oidc-proxy', '--proxy-headers', 'x-auth-request'];
const SECRET = ['--proxy-secret', 'secret'];

/** A home with a token file, and a file with the secret of a proxy. */
function office(): Home {
  const home = new Home();
  write(home, 'people.txt', `ann ${TOKEN.ann} roles=answer,read\nben ${TOKEN.ben}\n`);
  write(home, 'secret', `${'s'.repeat(40)}\n`);
  write(home, 'open', `${'s'.repeat(40)}\n`, 0o644);
  write(home, 'short', 'swordfish\n');
  return home;
}

function write(home: Home, name: string, text: string, mode = 0o600): void {
  writeFileSync(join(home.work, name), text);
  chmodSync(join(home.work, name), mode);
}

describe('hitl serve is not started', () => {
  test.for<readonly [string, readonly string[], string]>([
    [
      'by the line of version 0.2.0 for a proxy',
      ['--auth', 'oidc-proxy', '--trusted-proxy', '127.0.0.1'],
      '--auth oidc-proxy requires --proxy-headers, the set of headers that the proxy uses to identify users; --proxy-secret (or --listen unix:…), because an address does not prove that a request comes from the proxy; --url, the only host accepted behind a proxy',
    ],
    [
      'with no proof of the proxy',
      [...PROXY, ...URL],
      '--auth oidc-proxy requires --proxy-secret (or --listen unix:…), because an address does not prove that a request comes from the proxy',
    ],
    [
      'with no host behind a proxy',
      [...PROXY, ...SECRET],
      '--auth oidc-proxy requires --url, the only host accepted behind a proxy',
    ],
    [
      'with a network for a proxy',
      [...PROXY, ...SECRET, ...URL, '--trusted-proxy', '127.0.0.0/8'],
      'invalid --trusted-proxy "127.0.0.0/8": not an IP address',
    ],
    [
      'with a name for a proxy',
      [...PROXY, ...SECRET, ...URL, '--trusted-proxy', 'localhost'],
      'invalid --trusted-proxy "localhost": not an IP address',
    ],
    [
      'with a secret that others may read',
      [...PROXY, ...URL, '--proxy-secret', 'open'],
      'the proxy secret WORK/open is readable by other users',
    ],
    [
      'with a secret that can be guessed',
      [...PROXY, ...URL, '--proxy-secret', 'short'],
      'the proxy secret must have at least 32 characters and no spaces',
    ],
    [
      'with a name of ours for a sign-in',
      [...PROXY, ...SECRET, ...URL, '--issuer', 'hitl serve'],
      'invalid --issuer "hitl serve"',
    ],
    [
      'with a role that is none',
      [...PROXY, ...SECRET, ...URL, '--roles', '@ops=all'],
      'unknown role "all" in --roles @ops=all',
    ],
    [
      'with roles of no group',
      [...PROXY, ...SECRET, ...URL, '--roles', 'ops=read'],
      'invalid --roles "ops=read": must be one group and its roles',
    ],
    ['with the secret of a proxy and no proxy', SECRET, '--proxy-secret requires --auth oidc-proxy'],
    [
      'with a secret and a socket',
      [...PROXY, ...SECRET, ...URL, '--listen', 'unix:/x/y'],
      '--listen unix:… and --proxy-secret or --trusted-proxy cannot be used together',
    ],
    [
      'where others can connect, for whoever has a link',
      ['--listen', '0.0.0.0'],
      'listening on a public address requires --auth',
    ],
    [
      'on a socket for whoever has a link',
      ['--listen', 'unix:/x/y'],
      'listening on a public address requires --auth',
    ],
    [
      'at a name whose cookies go to every port',
      ['--url', 'http://localhost:4680'],
      'invalid --url localhost: its cookies would be sent to every port of this machine',
    ],
    [
      'with groups as version 0.2.0 had them',
      ['--auth', 'token-file', '--token-file', 'old'],
      'invalid text after the token on line 1 of the token file',
    ],
  ])('%s (F1)', async ([, args, message]) => {
    using home = office();
    write(home, 'old', `ann ${TOKEN.ann} ops\n`);
    const { status, stderr } = await home.run(['serve', '--port', '0', ...args], { cwd: home.work });
    expect([status, stderr.split('\n')[0]?.replaceAll(home.work, 'WORK')]).toEqual([2, `error: ${message}`]);
    expect(stderr).toMatch(/\nhint: /u);
  });
});

/** A port that is free now. */
async function freePort(): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof place === 'object' ? place?.port : 0);
}

/** A server of the program on a port, and its own host. */
async function serving(
  home: Home,
  port: string,
  args = ['--auth', 'token-file', '--token-file', 'people.txt'],
) {
  const given = args.map((word) => (word === 'people.txt' ? join(home.work, word) : word));
  const server = new Running(home, ['serve', '--port', port, ...given]);
  onTestFinished(() => server.kill());
  await server.until('Ctrl-C stops');
  const { host } = new globalThis.URL(server.stdout.trim());
  const ask = (path: string, { form, ...headers }: Record<string, string> & { form?: string }) =>
    new Promise<{ readonly status: number; readonly cookie: string; readonly text: string }>(
      (resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, method: form === undefined ? 'GET' : 'POST' };
        const type = { 'content-type': 'application/x-www-form-urlencoded' };
        const sent = request(
          { ...options, headers: { host, ...(form !== undefined && type), ...headers } },
          (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (piece: string) => {
              text += piece;
            });
            response.on('end', () => {
              const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
              resolve({ status: response.statusCode ?? 0, cookie, text });
            });
          },
        );
        sent.on('error', reject).end(form);
      },
    );
  return {
    ...{ server, host, ask },
    end: async () => {
      process.kill(server.pid, 'SIGTERM');
      await server.ended;
    },
  };
}

describe('hitl serve', () => {
  test('keeps its host and who is signed in from one start to the next; a sign-out stays, and a token that was replaced is nothing (F2, F16)', async () => {
    using home = office();
    const port = await freePort();
    const first = await serving(home, port);
    expect(first.host).toMatch(/^[0-9a-f]{20}\.localhost:\d+$/u);
    const { cookie: ann } = await first.ask('/sign-in', { form: `token=${TOKEN.ann}` });
    const { cookie: ben } = await first.ask('/sign-in', { form: `token=${TOKEN.ben}` });
    const { text } = await first.ask('/', { cookie: ben });
    const token = /name="form"\s+value="([^"]+)"/u.exec(text)?.[1] ?? '';
    expect((await first.ask('/sign-out', { form: `form=${token}`, cookie: ben })).status).toBe(303);
    await first.ask('/sign-in', { form: 'token=wrong' });
    await first.end();
    expect(first.server.stderr).toContain(
      'signed out: ben from 127.0.0.1\nrefused: sign-in from 127.0.0.1: unknown token\n',
    );
    const again = await serving(home, port);
    expect(again.host).toBe(first.host);
    expect(
      [await again.ask('/', { cookie: ann }), await again.ask('/', { cookie: ben })].map(
        ({ status }) => status,
      ),
    ).toEqual([200, 401]);
    await again.end();
    const [file = ''] = readdirSync(join(home.path, 'serve'));
    expect(statSync(join(home.path, 'serve', file)).mode & 0o777).toBe(0o600);
    write(home, 'people.txt', `ann ${'c'.repeat(40)}\nben ${TOKEN.ben}\n`);
    const rotated = await serving(home, port);
    expect((await rotated.ask('/', { cookie: ann })).status).toBe(401);
    await rotated.end();
    writeFileSync(join(home.path, 'serve', file), 'no JSON');
    const forgetful = await serving(home, port);
    expect((await forgetful.ask('/', { cookie: ben })).status).toBe(401);
    expect(JSON.parse(readFileSync(join(home.path, 'serve', file), 'utf8'))).toMatchObject({ signOuts: {} });
  });

  test('listens on a socket that its group alone can reach, also after a server that was killed left one (F1)', async () => {
    using home = office();
    const folder = join(home.work, 'run');
    mkdirSync(folder, { mode: 0o755 });
    const args = [...PROXY, ...URL, '--listen', `unix:${join(folder, 'serve.sock')}`];
    const refused = await home.run(['serve', ...args]);
    expect([refused.status, refused.stderr.split('\n')[0]]).toEqual([
      2,
      `error: the socket folder ${folder} can be used or changed by other users`,
    ]);
    chmodSync(folder, 0o750);
    const first = new Running(home, ['serve', ...args]);
    await first.until('Ctrl-C stops');
    const socket = join(folder, 'serve.sock');
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    const curl = () =>
      execFileSync(
        'curl',
        ['-s', '--unix-socket', socket, '-H', 'X-Auth-Request-User: ann', 'http://hitl.example.org/'],
        {
          encoding: 'utf8',
        },
      );
    expect(curl()).toContain('signed in as ann');
    const second = await home.run(['serve', ...args]);
    expect([second.status, second.stderr.split('\n')[0]]).toEqual([2, expect.stringContaining('EADDRINUSE')]);
    await first.kill();
    const third = new Running(home, ['serve', ...args]);
    onTestFinished(() => third.kill());
    await third.until('Ctrl-C stops');
    expect(curl()).toContain('signed in as ann');
  });
});
