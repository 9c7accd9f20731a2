import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { isInstalled } from '../../scripts/tools.mjs';

import { attacks } from './attacks.js';
import { Door, payingSession, waitingAt } from './doors.js';
import { Loopback } from './servers.js';
import type { Verdict } from './verdict.js';
import { heldUnless, premise, skipped } from './verdict.js';
import type { World } from './world.js';

/** An address of this machine that is not its loopback. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  premise(found !== undefined, 'this machine has no address beside its loopback');
  return found;
}

/** Open connections that are kept until the attack is over. */
function kept(world: World): { open: (door: Door, sends: string) => Promise<Socket>; all: Socket[] } {
  const all: Socket[] = [];
  world.keep({
    close: () => {
      for (const socket of all) socket.destroy();
    },
  });
  return {
    all,
    open: async (door, sends) => {
      const socket = connect(Number(door.link.port), '127.0.0.1');
      all.push(socket);
      socket.on('error', () => undefined).resume();
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      socket.write(sends);
      return socket;
    },
  };
}

async function spelledPath(world: World): Promise<Verdict> {
  await payingSession(world);
  const door = await Door.open(world);
  const [question] = await waitingAt(door);
  premise(question !== undefined, 'nothing waits');
  const { session, interrupt, digest } = question;
  const cookie = await door.cookie();
  const statuses: number[] = [];
  for (const begin of ['/v1', '/%761', '/V1', '//v1', '/./v1', '/v1/.'])
    statuses.push(
      (
        await door.ask(`${begin}/sessions/${session}/answers`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
          body: JSON.stringify({ interrupt, digest, answer: 'y' }),
        })
      ).status,
    );
  return heldUnless(
    door.done.decisions > 0 ? ['an answer without the token of a form counted'] : [],
    `statuses ${statuses.join(', ')}`,
  );
}

async function headOfStreams(world: World): Promise<Verdict> {
  const door = await Door.open(world);
  for (let round = 0; round < 40; round += 1)
    await Promise.all(Array.from({ length: 10 }, () => door.api('/v1/stream', { method: 'HEAD' })));
  const streams = await Promise.all(Array.from({ length: 32 }, () => openStream(world, door, '/v1/stream')));
  return heldUnless(
    streams.every((status) => status === 200)
      ? []
      : [`a HEAD holds the place of a stream: ${streams.join(', ')}`],
    '400 HEADs, and 32 streams are there after them',
  );
}

/** Opens a stream, and leaves it open. */
function openStream(world: World, { link, token }: Door, path: string): Promise<number> {
  const { port, host } = link;
  return new Promise((resolve) => {
    const headers = { host, authorization: `Bearer ${token}` };
    const sent = request({ hostname: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    world.keep({
      close: () => {
        sent.destroy();
      },
    });
    sent.on('error', () => {
      resolve(0);
    });
    sent.end();
  });
}

async function slowStrangers(world: World): Promise<Verdict> {
  const door = await Door.open(world);
  const { host } = door.link;
  const many = kept(world);
  const slow = `POST /sign-in HTTP/1.1\r\nhost: ${host}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 15000\r\n\r\ntoken=`;
  for (let count = 0; count < 1_200; count += 1)
    await many.open(door, count % 2 === 0 ? slow : 'GET / HTTP/1.1\r\n');
  const begun = Date.now();
  const { status } = await door.ask('/healthz');
  const tookMs = Date.now() - begun;
  const large = await door.ask('/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1900000' },
    body: '',
  });
  await sleep(14_000);
  const half = many.all.filter((socket, index) => index % 2 === 1 && !socket.destroyed).length;
  return heldUnless(
    [
      ...(status === 200 ? [] : [`/healthz says ${String(status)} under 1,200 slow connections`]),
      ...(large.status === 413 ? [] : [`a body of 1.9 MB to sign in: ${String(large.status)}`]),
      ...(half === 0 ? [] : [`${String(half)} connections without headers are open after 14 s`]),
    ],
    `/healthz in ${String(tookMs)} ms, a large body 413, and none without headers is left`,
  );
}

async function manyStreams(world: World): Promise<Verdict> {
  const session = await payingSession(world);
  const door = await Door.open(world);
  const path = `/v1/sessions/${session}/events?after=999999`;
  const statuses: number[] = [];
  for (let count = 0; count < 300; count += 1) statuses.push(await openStream(world, door, path));
  const begun = Date.now();
  const { status } = await door.ask('/healthz');
  const tookMs = Date.now() - begun;
  const open = statuses.filter((one) => one === 200).length;
  return heldUnless(
    [
      ...(open <= 32 ? [] : [`one visitor has ${String(open)} streams`]),
      ...(status === 200 && tookMs < 1_000 ? [] : [`/healthz: ${String(status)} in ${String(tookMs)} ms`]),
    ],
    `${String(open)} of 300 streams, /healthz in ${String(tookMs)} ms`,
  );
}

async function movedLogin(world: World): Promise<Verdict> {
  const internal = world.keep(
    await Loopback.start((_, response) => {
      response.writeHead(201).end('{"client_id":"internal","redirect_uris":[]}');
    }),
  );
  const other = world.keep(
    await Loopback.start((_, response) => {
      const issuer = other.url;
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
          registration_endpoint: `${internal.url}/admin/shutdown?now=1`,
          ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
        }),
      );
    }),
  );
  const server = world.keep(
    await Loopback.start(({ url }, response) => {
      if (url.startsWith('/.well-known/oauth-protected-resource')) {
        const found = { resource: `${server.url}/mcp`, authorization_servers: [other.url] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
        return;
      }
      const metadata = `${server.url}/.well-known/oauth-protected-resource`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    }),
  );
  const address = `${server.url}/mcp`;
  const issuer = 'http://127.0.0.1:9';
  const login = {
    redirect: 'http://127.0.0.1:8/callback',
    client: { client_id: 'honest', redirect_uris: ['http://127.0.0.1:8/callback'], issuer },
    tokens: { access_token: 'a', refresh_token: 'r', token_type: 'Bearer', issuer },
  };
  const file = world.write(
    'home/mcp-logins.json',
    JSON.stringify({ version: 1, logins: { [address]: login } }),
    0o600,
  );
  const before = readFileSync(file, 'utf8');
  const ran = await world.run(['chat', '-m', world.script({ text: 'hello' }), '-p', 'go', '--mcp', address]);
  premise(server.received.length > 0, `the server was not asked: ${ran.stderr}`);
  return heldUnless(
    [
      ...(internal.received.length > 0 ? ['a run posted into the private network'] : []),
      ...(other.received.length > 0 ? ['a run asked a server that the login was not made at'] : []),
      ...(readFileSync(file, 'utf8') === before ? [] : ['the kept login is another one']),
      ...(ran.stderr.includes('log in') ? [] : [`it is not told: ${ran.stderr}`]),
    ],
    'the run asked the server alone, and says that a login is wanted',
  );
}

async function headerInTheClear(world: World): Promise<Verdict> {
  const server = world.keep(
    await Loopback.start((_, response) => {
      response.writeHead(404).end();
    }, '0.0.0.0'),
  );
  const address = `http://${ownAddress()}:${String(server.port)}/mcp`;
  await world.run(['mcp', 'add', 'evil', address, '--header', 'Authorization: Bearer sk-mcp-secret']);
  const chat = ['chat', '-m', world.script({ text: 'hello' }), '-p', 'go', '--mcp', 'evil'];
  const ran = await world.run(chat);
  const heard = JSON.stringify(server.received).includes('sk-mcp-secret');
  await world.run([...chat, '--allow-http']);
  premise(JSON.stringify(server.received).includes('sk-mcp-secret'), `it cannot be agreed to: ${ran.stderr}`);
  return heldUnless(
    [
      ...(heard ? ['the key went over the line as it is'] : []),
      ...(ran.stderr.includes('unencrypted') ? [] : ['nobody is told']),
    ],
    'refused, and sent with --allow-http alone',
  );
}

/** Mail for a server that offers no encryption. */
async function clearMail(world: World): Promise<Verdict> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.write('220 mail\r\n');
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      const line = piece.toString();
      heard.push(line);
      if (line.startsWith('EHLO')) socket.write('250-mail\r\n250 AUTH PLAIN LOGIN\r\n');
      else if (line.startsWith('DATA')) socket.write('354 go\r\n');
      else socket.write('250 ok\r\n');
    });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  world.keep({
    close: () => {
      server.close();
    },
  });
  const place = server.address();
  const port = typeof place === 'object' && place !== null ? place.port : 0;
  const objections: string[] = [];
  for (const words of ['?secure=false', '?ignoreTLS=false', '?ignoreTLS=true', '?requireTLS=false']) {
    const channels = {
      boss: { type: 'mail', server: { env: 'MAIL' }, from: 'a@example.org', to: ['b@example.org'] },
    };
    world.write('home/config.json', JSON.stringify({ channels }));
    const started = world.start(['serve', '--port', '0'], {
      env: { MAIL: `smtp://u:pa55word@${ownAddress()}:${String(port)}${words}` },
    });
    const isTold = await started.until('unencrypted');
    started.kill('SIGKILL');
    await started.ended;
    if (!isTold) objections.push(`${words} is taken: ${started.stderr}`);
  }
  if (heard.length > 0) objections.push('a mail server was spoken to in the clear');
  return heldUnless(objections, 'each word is refused at the start');
}

/** The packages of the database, which stand beside the program where somebody installed them. */
const peers = path.join(import.meta.dirname, '../../tools/servers/find-peers.mjs');
const WITH_PEERS = { NODE_OPTIONS: `--import ${pathToFileURL(peers).href}` };

async function clearDatabase(world: World): Promise<Verdict> {
  if (!isInstalled('servers')) return skipped('needs `npm run tools`');
  const heard: Buffer[] = [];
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      heard.push(piece);
      const asksForTls = piece.length === 8;
      socket.write(asksForTls ? 'N' : Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])); // asks for the password in the clear
    });
  });
  listener.listen(0, '0.0.0.0');
  await once(listener, 'listening');
  world.keep({
    close: () => {
      listener.close();
    },
  });
  const place = listener.address();
  const port = typeof place === 'object' && place !== null ? place.port : 0;
  const store = `postgres://u:s3cr3t-pass@${ownAddress()}:${String(port)}/hitl`;
  const ran = await world.run(['list', '--store', store], { env: WITH_PEERS });
  premise(heard.length > 0, `nothing was asked: ${ran.stderr}`);
  return heldUnless(
    [
      ...(Buffer.concat(heard).toString('latin1').includes('s3cr3t-pass')
        ? ['the password went in the clear']
        : []),
      ...(ran.stderr.includes('sslmode=disable') ? [] : [`what to do is not said: ${ran.stderr}`]),
    ],
    'refused before the password',
  );
}

async function heldSchema(world: World): Promise<Verdict> {
  if (!isInstalled('servers')) return skipped('needs `npm run tools`');
  const { startServer, pg } = await import('../../tools/servers/server.mjs');
  const server = await startServer();
  world.keep({ close: async () => server.stop() });
  const holder = new pg.Client({ connectionString: server.url });
  holder.on('error', () => undefined);
  await holder.connect();
  try {
    await holder.query('select pg_advisory_lock(4711, 0)');
    const ran = await world.run(['list', '--store', server.url], { env: WITH_PEERS, limitMs: 30_000 });
    return heldUnless(
      ran.stderr.includes('another connection has held the lock of the tables for 10 s')
        ? []
        : [`status ${String(ran.status)}: ${ran.stderr}`],
      `status ${String(ran.status)} after 10 s, and why`,
    );
  } finally {
    await holder.end();
  }
}

attacks('What goes over the line, and what costs before anybody is known', [
  {
    id: 'v2.F3',
    tried: 'the path of the API, spelled otherwise, without the token of a form',
    run: spelledPath,
  },
  { id: 'v2.F5', tried: 'HEAD of an event stream, 400 times', run: headOfStreams },
  { id: 'v2.F5b', tried: '1,200 connections that finish nothing', limitMs: 90_000, run: slowStrangers },
  { id: 'v2.F7', tried: 'a server that names another place for logins', run: movedLogin },
  { id: 'v2.F8', tried: 'a database that asks for the password without encryption', run: clearDatabase },
  { id: 'v2.F10', tried: 'the key of an MCP server over plain http', run: headerInTheClear },
  { id: 'v2.F13', tried: '300 streams of one session', limitMs: 90_000, run: manyStreams },
  {
    id: 'v2.F18',
    tried: 'words in the address of a mail server that drop TLS',
    limitMs: 90_000,
    run: clearMail,
  },
  { id: 'v2.F19', tried: 'somebody who holds the lock of the schema', limitMs: 120_000, run: heldSchema },
]);
