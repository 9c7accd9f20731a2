import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';

import { attacks } from './attacks.js';
import type { Asked, Door, Waiting } from './doors.js';
import { answersOf, bodyOf, payingSession } from './doors.js';
import { listAt, parsed, textAt } from './json.js';
import type { Family } from './people.js';
import { as, behindProxy, formOf, named, tokenOf, withTokens } from './people.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** The same with an agent whose tool pays. */
async function withAgent(world: World, approvers: string): Promise<Door> {
  const module = ledgerModule(
    world,
    PAY.replace('needsApproval: true,', `approval: async () => ({ ${approvers} }),`),
  );
  const call = { tools: [{ name: 'pay', input: { to: 'Bob', amount: 5 } }] };
  const model = world.script(call, { tools: [{ name: 'pay', input: { to: 'ann', amount: 9999 } }] });
  return withTokens(world, ['--agent', '--model', model, '--tools', module, '--trust']);
}

/** Begins a session by the API, and waits for its question. */
async function begun(door: Door, name: string, reader = name): Promise<Waiting> {
  const { status, body } = await door.api('/v1/sessions', {
    method: 'POST',
    headers: as(name),
    body: '{"text":"Pay"}',
  });
  premise(status === 201, `nothing began: ${String(status)} ${body}`);
  return asked(door, reader);
}

/** The question that waits, of those that somebody sees; another one than before. */
async function asked(door: Door, name: string, before = ''): Promise<Waiting> {
  for (;;) {
    const found = (await seenBy(door, name)).find(({ interrupt }) => interrupt !== before);
    if (found !== undefined) return found;
    premise(!door.hasEnded, 'the server ended before anything was asked');
    await sleep(200); // until the limit of the row: how long a turn takes is the machine's
  }
}

async function seenBy(door: Door, name: string): Promise<readonly Waiting[]> {
  const { body } = await door.api('/v1/waiting', { headers: as(name) });
  return listAt(parsed(body), 'items').map((one) => ({
    session: textAt(one, 'session'),
    interrupt: textAt(one, 'interrupt', 'id'),
    digest: textAt(one, 'interrupt', 'digest'),
  }));
}

const sent = (name: string, body: string): Asked => ({ method: 'POST', headers: as(name), body });

/** Nothing may be paid; what runs after an answer has some time for it. */
async function unpaid(world: World, evidence: string): Promise<Verdict> {
  await sleep(1_500);
  const paid = ledgerOf(world);
  return heldUnless(paid.length > 0 ? [`it paid: ${JSON.stringify(paid)}`] : [], evidence);
}

/** Whoever comes to a server behind a proxy, with what a client wrote itself. */
async function otherNames(
  world: World,
  family: Family,
  headers: Readonly<Record<string, string>>,
  proof: 'with the secret' | 'straight to the port',
): Promise<Verdict> {
  const module = ledgerModule(
    world,
    PAY.replace('needsApproval: true,', "approval: async () => ({ approvers: { from: ['boss'] } }),"),
  );
  const id = await world.chat(world.calling('pay', { to: 'Bob', amount: 5 }), '-t', module);
  const { port, proof: shown, sayYes } = await behindProxy(world, family);
  const given =
    proof === 'with the secret'
      ? { ...shown, ...named(family, 'mallory'), ...headers }
      : { host: `127.0.0.1:${port}`, ...named(family, 'mallory'), ...headers };
  const { status } = await sayYes(id, given);
  await world.run(['resume', id, '-p', '--trust']);
  const objections = [
    ...(world.eventsOf(id, 'interrupt-resolved').length > 0 ? ['somebody else decided as boss'] : []),
    ...(ledgerOf(world).length > 0 ? ['it paid'] : []),
  ];
  if (objections.length > 0) return broken(objections.join('; '));
  const boss = await sayYes(id, { ...shown, ...named(family, 'boss') });
  premise(boss.status === 303, `boss may not decide either: ${String(boss.status)} ${boss.body}`);
  return held(`refused with ${String(status)}`);
}

/** A cookie of a token: after its rotation, after a sign-out, at another server. */
async function oldCookie(world: World, how: 'rotated' | 'signed out' | 'elsewhere'): Promise<Verdict> {
  await payingSession(world);
  const door = await withTokens(world);
  const { hostname } = new URL(door.link);
  const host = `${hostname}:${door.link.port}`;
  const headers = {
    host,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const signedIn = await door.ask('/sign-in', {
    method: 'POST',
    headers,
    body: new URLSearchParams({ token: tokenOf('bob') }).toString(),
  });
  const [given = ''] = signedIn.headers['set-cookie'] ?? [];
  const cookie = given.split(';')[0] ?? '';
  const before = await door.ask('/sessions', { headers: { host, cookie } });
  premise(before.status === 200, `the cookie opens nothing: ${String(before.status)} ${before.body}`);
  let other = door;
  let sentCookie = cookie;
  if (how === 'rotated') {
    await door.stop();
    other = await withTokens(world, ['--port', door.link.port], ['ann']);
  } else if (how === 'elsewhere') {
    other = await withTokens(world);
    sentCookie = cookie.replace(door.link.port, other.link.port);
  } else {
    const form = formOf(before.body);
    await door.ask('/sign-out', {
      method: 'POST',
      headers: { ...headers, cookie },
      body: new URLSearchParams({ form }).toString(),
    });
  }
  const there = `${other.link.hostname}:${other.link.port}`;
  const after = await other.ask('/sessions', { headers: { host: there, cookie: sentCookie } });
  return heldUnless(
    after.status === 200 && !after.body.includes('name="token"') ? ['the old cookie is a sign-in'] : [],
    `refused with ${String(after.status)}`,
  );
}

/** One person under four eyes: an edit that they approve, or words that make the call that they approve. */
async function oneOfTwo(world: World, first: unknown): Promise<Verdict> {
  const door = await withAgent(world, 'approvers: { notRequester: true }');
  const question = await begun(door, 'bob');
  const { interrupt, digest } = question;
  const edit = await door.api(
    answersOf(question),
    sent('ann', JSON.stringify({ interrupt, digest, answer: first })),
  );
  premise(edit.status < 400, `the first answer was refused: ${edit.body}`);
  const again = await asked(door, 'ann', interrupt);
  const yes = await door.api(answersOf(again), sent('ann', bodyOf(again)));
  const verdict = await unpaid(world, `the second one was answered with ${String(yes.status)}`);
  if (verdict.type === 'broken') return verdict;
  const other = await door.api(answersOf(again), sent('ben', bodyOf(again)));
  premise(other.status === 200, `nobody else may approve it either: ${other.body}`);
  return verdict;
}

/** A program that approves what it began. */
async function ownYes(world: World, name: 'bot' | 'bob'): Promise<Verdict> {
  const door = await withAgent(world, '');
  const question = await begun(door, name);
  const { status } = await door.api(answersOf(question), sent(name, bodyOf(question)));
  const verdict = await unpaid(world, `refused with ${String(status)}`);
  return status < 400 ? heldUnless(['its answer was taken'], '') : verdict;
}

/** A program that looks at questions of others. */
async function othersQuestions(world: World): Promise<Verdict> {
  const id = await payingSession(world, 'SECRETACCOUNT');
  const door = await withTokens(world);
  premise((await seenBy(door, 'ann')).length === 1, 'a person does not see it either');
  const own = await door.api('/v1/waiting', { headers: as('bot') });
  premise(own.status === 200, `the program is not let in: ${own.body}`);
  const places = ['/v1/waiting', '/v1/sessions', `/v1/sessions/${id}`, `/v1/sessions/${id}/events`];
  const seen = await Promise.all(places.map(async (place) => door.api(place, { headers: as('bot') })));
  return heldUnless(
    seen.flatMap(({ body }, at) =>
      body.includes('SECRETACCOUNT') || body.includes(`"${id}"`) ? [`it is in ${places[at] ?? ''}`] : [],
    ),
    seen.map(({ status }) => String(status)).join(', '),
  );
}

/** A rule for two people whose clause is quoted. */
async function quotedClause(world: World): Promise<Verdict> {
  const clause = ['rules', 'add', 'ask', 'pay', 'needs 2 of @ops, not whoever asked'];
  const added = await world.run(clause);
  const id = await payingSession(world);
  await world.approve(id);
  await world.run(['resume', id, '-p', '--trust']);
  return heldUnless(
    added.status === 0 && ledgerOf(world).length > 0 ? ['one yes let it run under a rule for two'] : [],
    `the rule ended with ${String(added.status)}: ${added.stderr.split('\n')[0] ?? ''}`,
  );
}

/** What a removed session leaves behind. */
async function removed(world: World): Promise<Verdict> {
  const id = await payingSession(world, 'MARIASECRET77');
  await world.run(['inbox']);
  await world.run(['list']);
  const gone = await world.run(['rm', '--yes', id]);
  premise(gone.status === 0, `not removed: ${gone.stderr}`);
  const left = (readdirSync(world.home, { recursive: true }) as string[])
    .map((name) => path.join(world.home, name))
    .filter((file) => statSync(file).isFile() && readFileSync(file).includes('MARIASECRET77'));
  return heldUnless(left, 'no file of the home has it');
}

attacks('Found in version 0.2.0: who comes to a server, and what a rule and a removal mean', [
  {
    id: 'v2.F1a',
    tried: 'a name in the other family of headers, behind a proxy of x-forwarded',
    run: (world) => otherNames(world, 'x-forwarded', named('x-auth-request', 'boss'), 'with the secret'),
  },
  {
    id: 'v2.F1b',
    tried: 'a name in the other family of headers, behind a proxy of x-auth-request',
    run: (world) => otherNames(world, 'x-auth-request', named('x-forwarded', 'boss'), 'with the secret'),
  },
  {
    id: 'v2.F1c',
    tried: 'a made-up name, straight to the port and past the proxy',
    run: (world) =>
      otherNames(world, 'x-auth-request', named('x-auth-request', 'boss'), 'straight to the port'),
  },
  {
    id: 'v2.F2a',
    tried: 'a cookie after its token was replaced',
    run: (world) => oldCookie(world, 'rotated'),
  },
  { id: 'v2.F2b', tried: 'a cookie after its sign-out', run: (world) => oldCookie(world, 'signed out') },
  { id: 'v2.F2c', tried: 'a cookie at another server', run: (world) => oldCookie(world, 'elsewhere') },
  {
    id: 'v2.F6a',
    tried: 'one person who edits under four eyes, and approves the edit',
    run: (world) => oneOfTwo(world, { action: 'restart', input: { to: 'ann', amount: 8888 } }),
  },
  {
    id: 'v2.F6b',
    tried: 'one person who rejects with words, and approves what comes of them',
    run: (world) => oneOfTwo(world, { action: 'reject', reason: 'no: pay 9999 to ann instead' }),
  },
  {
    id: 'v2.R2a',
    tried: 'a program with the role `ask` that approves what it began',
    run: (world) => ownYes(world, 'bot'),
  },
  {
    id: 'v2.R2b',
    tried: 'somebody who begins by the API and approves it by the same token',
    run: (world) => ownYes(world, 'bob'),
  },
  { id: 'v2.R3', tried: 'a program that reads the questions of others', run: othersQuestions },
  { id: 'v2.D2', tried: 'one yes under a rule for two people whose clause is quoted', run: quotedClause },
  { id: 'v2.D3', tried: 'what a removed session leaves in the home', run: removed },
]);
