import { pathToFileURL } from 'node:url';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isInstalled } from '../../scripts/tools.mjs';
import { root } from '../meta/project.js';
import { attacks } from './attacks.js';
import { Loopback } from './servers.js';
import type { Verdict } from './verdict.js';
import { heldUnless, premise, skipped } from './verdict.js';
import type { World } from './world.js';

const KEY = 'sk-secretkey-of-the-attack';
const PASSWORD = 's3cret-pass-word';

/** A module, loaded before the program, by which it finds a package elsewhere. */
function finding(world: World, name: string, place: string): string {
  const hook = `export function resolve(name, context, next) {
    return name === ${JSON.stringify(name)} ? next(${JSON.stringify(place)}, { ...context, parentURL: ${JSON.stringify(pathToFileURL(path.join(root, 'tools/providers/x.mjs')).href)} }) : next(name, context);
  }`;
  return world.write(
    'peers.mjs',
    `import { register } from 'node:module';\nregister(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});\n`,
  );
}

/** An address that leads here, and is no loopback address: a line to it is one to another machine. */
const elsewhere = (port: number): string => `0.0.0.0:${String(port)}`;

/** A run at a server that names another login server; what is kept of the login says of whom it is, or not. */
async function otherLogin(world: World, stamp: { readonly issuer?: string }): Promise<Verdict> {
  const login = world.keep(
    await Loopback.start(({ url }, response) => {
      const origin = `http://127.0.0.1:${String(login.port)}`;
      response.setHeader('content-type', 'application/json');
      if (url.startsWith('/.well-known'))
        response.end(
          JSON.stringify({
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/admin/shutdown?now=1`,
            response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'],
          }),
        );
      else response.end('{}');
    }),
  );
  const tools = world.keep(
    await Loopback.start(({ url }, response) => {
      if (url.startsWith('/.well-known')) {
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({
            resource: `${tools.url}/mcp`,
            authorization_servers: [`http://127.0.0.1:${String(login.port)}`],
          }),
        );
        return;
      }
      const metadata = `${tools.url}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    }),
  );
  const kept = {
    redirect: 'http://127.0.0.1:1/callback',
    client: { client_id: 'honest', ...stamp },
    tokens: {
      access_token: 'a',
      refresh_token: 'r',
      token_type: 'Bearer',
      ...stamp,
    },
  };
  const file = JSON.stringify({ version: 1, logins: { [`${tools.url}/mcp`]: kept } });
  world.write('home/mcp-logins.json', file, 0o600);
  const ran = await world.run(['chat', '--model', 'demo', '--mcp', `${tools.url}/mcp`, '-p', 'hello']);
  premise(tools.received.length > 0, `the server was not asked: ${ran.stderr}`);
  return heldUnless(
    [
      ...login.received.map(({ method, url }) => `${method} ${url}`),
      ...(world.read('home/mcp-logins.json') === file ? [] : ['the kept login is another one']),
    ],
    'nothing was asked elsewhere, and the login is as it was',
  );
}

attacks('What leaves the machine: to whom, and whether others can read it', [
  {
    id: 'v2.F7a',
    tried: 'a server that one is logged in at names another login server, in the middle of a run',
    run: (world) => otherLogin(world, { issuer: 'https://login.example' }),
  },
  {
    id: 'v2.F7b',
    tried: 'the same with a login of an older version, which does not say whose it is',
    run: (world) => otherLogin(world, {}),
  },
  {
    id: 'v2.F8',
    tried:
      'an address of a database elsewhere, as the guide gives it, before a server that asks for the password',
    run: async (world) => {
      if (!isInstalled()) return skipped('needs `npm run tools`');
      const heard: string[] = [];
      const server = createServer((socket) => {
        socket
          .on('error', () => undefined)
          .on('data', (bytes) => {
            heard.push(bytes.toString('latin1'));
            socket.write(bytes.length === 8 ? Buffer.from('N') : Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]));
          });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      world.keep({ close: () => void server.close() });
      const { port } = server.address() as AddressInfo;
      const env = { HITL_STORE: `postgres://u:${PASSWORD}@${elsewhere(port)}/hitl` };
      const ran = await world.run(['list'], { env });
      premise(heard.length > 0, `the server was not asked: ${ran.stderr}`);
      return heldUnless(
        [
          ...(heard.some((bytes) => bytes.includes(PASSWORD)) ? ['the password went in the clear'] : []),
          ...(heard.some((bytes) => bytes.includes('user\0')) ? ['the start-up went in the clear'] : []),
          ...(ran.stderr.includes('sslmode=disable') ? [] : [`nobody is told why: ${ran.stderr}`]),
        ],
        'only a request for TLS went out, and the error says why',
      );
    },
  },
  {
    id: 'v2.F10a',
    tried: 'an `ai-sdk:` model whose address, in the environment, is http on another machine',
    run: async (world) => {
      if (!isInstalled()) return skipped('needs `npm run tools`');
      const server = world.keep(await Loopback.start((_, response) => void response.writeHead(404).end()));
      const ran = await world.run(['chat', '-m', 'ai-sdk:@ai-sdk/openai/gpt-5', '-p', 'go'], {
        env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `http://${elsewhere(server.port)}/v1` },
        preload: finding(world, '@ai-sdk/openai', '@ai-sdk/openai'),
      });
      return heldUnless(
        [
          ...(server.received.length > 0 ? [`${String(server.received.length)} requests in the clear`] : []),
          ...(ran.stderr.includes('unencrypted') ? [] : [`not told: ${ran.stderr}`]),
        ],
        'nothing was sent, and told',
      );
    },
  },
  {
    id: 'v2.F10b',
    tried: 'a server of tools with a key in its header, at http on another machine',
    run: async (world) => {
      const server = world.keep(await Loopback.start((_, response) => void response.writeHead(404).end()));
      const url = `http://${elsewhere(server.port)}/mcp`;
      const added = await world.run(['mcp', 'add', 'evil', url, '--header', `Authorization: Bearer ${KEY}`]);
      premise(added.status === 0, added.stderr);
      const ran = await world.run(['chat', '-m', 'demo', '--mcp', 'evil', '-p', 'hello']);
      return heldUnless(
        [
          ...(server.received.length > 0 ? ['the key went in the clear'] : []),
          ...(ran.stderr.includes('unencrypted') ? [] : [`not told: ${ran.stderr}`]),
        ],
        'nothing was sent, and told',
      );
    },
  },
  ...['?requireTLS=false', '?ignoreTLS=true', '', '?ignoreTLS=false', '?secure=false'].map(
    (words, index) => ({
      id: `v2.F18${'abcde'.charAt(index)}`,
      tried: `a mail server elsewhere by smtp, ${words === '' ? 'without a password' : `with ${words}`}`,
      run: async (world: World) => {
        const told = world.path('transport.txt');
        const stub = world.write(
          'nodemailer.mjs',
          `import { appendFileSync } from 'node:fs';
        export const createTransport = (server) => ({ sendMail: async () => appendFileSync(${JSON.stringify(told)}, server + '\\n'), close() {} });\n`,
        );
        const id = await world.chat(world.calling('ask_user', { question: 'Which?' }), '--no-input');
        const mail = { type: 'mail', server: { env: 'MAIL' }, from: 'a@example.org', to: ['b@example.org'] };
        world.write('home/config.json', JSON.stringify({ channels: { boss: mail } }));
        const user = words === '' ? '' : `u:${PASSWORD}@`;
        const worker = world.start(['worker'], {
          env: { MAIL: `smtp://${user}mail.example.org${words}` },
          preload: finding(world, 'nodemailer', pathToFileURL(stub).href),
        });
        for (let tries = 0; tries < 100 && !world.exists('transport.txt'); tries += 1) {
          if (await Promise.race([worker.ended.then(() => true), sleep(100).then(() => false)])) break;
        }
        worker.kill('SIGTERM');
        const ran = await worker.ended;
        const used = world
          .read('transport.txt')
          .split('\n')
          .filter((line) => line !== '');
        premise(used.length > 0 || ran.status === 2, `nothing was sent, ${id}: ${ran.stderr}`);
        return heldUnless(
          used.filter((server) => !server.endsWith('requireTLS=true')),
          used[0] ?? `refused: ${ran.stderr.split('\n')[0] ?? ''}`,
        );
      },
    }),
  ),
  {
    id: 'v2.F19',
    tried: 'a role that may only connect holds the lock of the tables at a first start',
    run: async (world) => {
      if (!isInstalled()) return skipped('needs `npm run tools`');
      const { pg, startServer } = await import('../../tools/servers/server.mjs');
      const server = await startServer();
      world.keep({ close: () => server.stop() });
      const other = new pg.Client({ connectionString: server.url });
      await other.connect();
      await other.query('select pg_advisory_lock(4711, 0)');
      const began = Date.now();
      const started = world.start(['list', '--json'], {
        input: '',
        env: { HITL_STORE: server.url },
      });
      const ran = await Promise.race([started.ended, sleep(30_000).then(() => undefined)]);
      await other.end();
      return heldUnless(
        [
          ...(ran === undefined ? [`no word after ${String(Date.now() - began)} ms`] : []),
          ...(ran !== undefined && !ran.stderr.includes('another connection') ? [ran.stderr] : []),
        ],
        `told after ${String(Date.now() - began)} ms`,
      );
    },
  },
]);
