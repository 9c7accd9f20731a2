import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { attacks } from './attacks.js';
import { Door, payingSession, waitingAt } from './doors.js';
import { ledgerModule, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise, skipped } from './verdict.js';
import type { World } from './world.js';

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
  await sleep(24_000);
  const whole = many.all.filter((socket) => !socket.destroyed).length;
  return heldUnless(
    [
      ...(status === 200 ? [] : [`/healthz says ${String(status)} under 1,200 slow connections`]),
      ...(large.status === 413 ? [] : [`a body of 1.9 MB to sign in: ${String(large.status)}`]),
      ...(half === 0 ? [] : [`${String(half)} connections without headers are open after 14 s`]),
      ...(whole === 0 ? [] : [`${String(whole)} connections without a body are open after 38 s`]),
    ],
    `/healthz in ${String(tookMs)} ms, a large body 413, and none of the connections is left`,
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

/** The time of the processor that a process took so far, in milliseconds. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10; // user and system, in hundredths of a second
}

/** Streams of a session of 4 MB, which nobody changes. */
async function idleStreams(world: World): Promise<Verdict> {
  if (process.platform !== 'linux') return skipped('the time of another process is not told here');
  const text = 'a line of a long reply\n'.repeat(180_000);
  const module = ledgerModule(world, PAY);
  const model = world.script({ text, tools: [{ name: 'pay', input: { to: 'Bob', amount: 5 } }] });
  const session = await world.chat(model, '-t', module);
  const size = world.read(`home/sessions/${session}/journal.jsonl`).length;
  premise(size > 4_000_000, `the session has ${String(size)} bytes`);
  const door = await Door.open(world);
  const statuses: number[] = [];
  for (let count = 0; count < 32; count += 1)
    statuses.push(await openStream(world, door, `/v1/sessions/${session}/events?after=999999`));
  premise(
    statuses.every((status) => status === 200),
    `streams: ${statuses.join(', ')}`,
  );
  await sleep(3_000); // the first look
  const before = processorMs(door.pid);
  await sleep(15_000);
  const tookMs = processorMs(door.pid) - before;
  const told = `32 idle streams of ${String(size)} bytes took ${String(tookMs)} ms of 15 s`;
  return tookMs < 1_500 ? held(told) : broken(told);
}

attacks('What costs before anybody is known', [
  {
    id: 'v2.F3',
    tried: 'the path of the API, spelled otherwise, without the token of a form',
    run: spelledPath,
  },
  { id: 'v2.F5', tried: 'HEAD of an event stream, 400 times', run: headOfStreams },
  { id: 'v2.F5b', tried: '1,200 connections that finish nothing', limitMs: 120_000, run: slowStrangers },
  { id: 'v2.F13a', tried: '300 streams of one session', limitMs: 90_000, run: manyStreams },
  {
    id: 'v2.F13b',
    tried: 'streams of a long session that nobody changes',
    limitMs: 90_000,
    run: idleStreams,
  },
]);
