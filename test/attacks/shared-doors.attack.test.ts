import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';

import { isInstalled } from '../../scripts/tools.mjs';
import { attacks } from './attacks.js';
import type { Answered } from './doors.js';
import { Door, payingSession, placeOf, waitingAt } from './doors.js';
import { behindProxy, formOf, named, tokenOf, withTokens } from './people.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { heldUnless, premise, skipped } from './verdict.js';
import type { World } from './world.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const OTHER_SITE = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
const SAME_SITE = { 'sec-fetch-site': 'same-origin' };

/** A page of another site that signs somebody in or out. */
async function otherSite(world: World): Promise<Verdict> {
  const door = await withTokens(world);
  const { host } = door.link;
  const posted = async (place: string, body: object, headers: object): Promise<Answered> =>
    door.ask(place, {
      method: 'POST',
      headers: { host, ...FORM, ...headers },
      body: new URLSearchParams({ ...body }).toString(),
    });
  const cookiesOf = ({ headers }: Answered): readonly string[] => headers['set-cookie'] ?? [];
  const mal = await posted('/sign-in', { token: tokenOf('ben') }, OTHER_SITE);
  const own = await posted('/sign-in', { token: tokenOf('ann') }, SAME_SITE);
  const cookie = cookiesOf(own)[0]?.split(';')[0] ?? '';
  const pageOf = async (): Promise<Answered> => door.ask('/sessions', { headers: { host, cookie } });
  const form = formOf((await pageOf()).body);
  premise(form !== '', `nobody is signed in: ${String(own.status)} ${own.body}`);
  const outs = [
    await posted('/sign-out', {}, { cookie, ...OTHER_SITE }),
    await posted('/sign-out', { form }, { cookie, ...OTHER_SITE }),
    await posted('/sign-out', {}, { cookie, ...SAME_SITE }),
  ];
  const after = await pageOf();
  const verdict = heldUnless(
    [
      ...(cookiesOf(mal).length > 0 || mal.status < 400 ? ['another site signed somebody in'] : []),
      ...outs.flatMap((out, at) =>
        cookiesOf(out).length > 0 || out.status < 400
          ? [`sign-out ${String(at)}: ${String(out.status)}`]
          : [],
      ),
      ...(after.status === 200 && formOf(after.body) !== '' ? [] : ['ann is signed out']),
    ],
    `refused with ${[mal, ...outs].map(({ status }) => String(status)).join(', ')}`,
  );
  if (verdict.type === 'broken') return verdict;
  const out = await posted('/sign-out', { form }, { cookie, ...SAME_SITE });
  premise(out.status === 303, `nor does the own page sign out: ${String(out.status)} ${out.body}`);
  return verdict;
}

/** A click that is signed as Slack does it, by somebody of another workspace, and by somebody without a name. */
async function slackClicks(world: World): Promise<Verdict> {
  const id = await payingSession(world);
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  world.write(
    'home/config.json',
    JSON.stringify({
      channels: {
        chat: {
          type: 'slack',
          url: { env: 'SLACK_URL' },
          signingSecret: { env: 'SLACK_SIGNING_SECRET' },
          team: 'T1',
          people: { U1: 'ann' },
        },
      },
    }),
  );
  const started = world.start(['serve', '--port', '0'], {
    env: { SLACK_SIGNING_SECRET: secret, SLACK_URL: 'https://127.0.0.1:9/x' },
  });
  premise(await started.until('/?token='), `no server: ${started.stderr}`);
  const door = Door.at(world, started.stdout.trim());
  const { id: interrupt, digest } = world.questionOf(id);
  const click = async (user: string, team: string): Promise<readonly unknown[]> => {
    const payload = {
      type: 'block_actions',
      team: { id: team },
      user: { id: user, username: 'boss\u202e', team_id: team },
      actions: [{ action_id: 'approve', value: JSON.stringify([id, interrupt, digest]) }],
      response_url: 'https://127.0.0.1:9/reply',
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const seconds = String(Math.floor(Date.now() / 1_000));
    const { status } = await door.ask('/hooks/slack', {
      method: 'POST',
      headers: {
        ...FORM,
        'x-slack-request-timestamp': seconds,
        'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`,
      },
      body,
    });
    premise(status === 200, `the click is not taken for Slack's: ${String(status)}`);
    return world.eventsOf(id, 'interrupt-resolved');
  };
  const stranger = await click('U1', 'T666');
  const nameless = await click('U666', 'T1');
  const ann = await click('U1', 'T1');
  premise(ann.length > 0, 'nor does the click of ann count');
  return heldUnless(
    [
      ...(stranger.length > 0 ? ['the same user ID of another workspace counts'] : []),
      ...(nameless.length > 0 ? ['somebody without a name here counts'] : []),
    ],
    'neither counts, and the click of ann does',
  );
}

const BY_TWO = PAY.replace('needsApproval: true,', 'approval: async () => ({ approvers: { need: 2 } }),');

/** One person as two: another spelling behind the proxy, and the same one at a terminal. */
async function spellings(world: World): Promise<Verdict> {
  const module = ledgerModule(world, BY_TWO);
  const id = await world.chat(world.calling('pay', { to: 'Bob', amount: 5 }), '-t', module);
  const { proof, sayYes } = await behindProxy(world, 'x-forwarded');
  const vote = async (user: string): Promise<Answered> =>
    sayYes(id, { ...proof, ...named('x-forwarded', Buffer.from(user).toString('latin1')) });
  const decided = (): boolean => world.eventsOf(id, 'interrupt-resolved').length > 0;
  const objections: string[] = [];
  const first = await vote('ann');
  premise(first.status < 400, `ann may not vote: ${String(first.status)} ${first.body}`);
  for (const user of ['Ann', 'ANN', 'ａｎｎ', 'ann\u00ad']) {
    await vote(user);
    if (decided()) objections.push(`${user} is another one`);
  }
  await world.approve(id);
  if (decided()) objections.push('who sits at the terminal is another one');
  await world.run(['resume', id, '-p', '--trust']);
  if (ledgerOf(world).length > 0) objections.push('it paid');
  if (objections.length > 0) return heldUnless(objections, '');
  const bob = await vote('bob');
  premise(decided(), `nor do two people decide: ${String(bob.status)} ${bob.body}`);
  return heldUnless([], 'one vote, however it is spelled');
}

/** What the browser hands to another server of this machine. */
async function otherPort(world: World): Promise<Verdict> {
  const question = await payingSession(world);
  const door = await Door.open(world);
  const second = await Door.open(world, ['--sessions', world.path('none')]);
  const { headers } = await door.ask(`/${door.link.search}`);
  const [given = ''] = headers['set-cookie'] ?? [];
  premise(given !== '', 'the link signs nobody in');
  const cookie = given.split(';')[0] ?? '';
  const own = await door.ask('/v1/sessions', { headers: { cookie } });
  const port = door.link.port;
  const common = await Promise.all(
    [`127.0.0.1:${port}`, `localhost:${port}`, `guess.localhost:${port}`].map(async (host) => {
      const { status } = await door.ask('/v1/waiting', { headers: { host, cookie } });
      const signed = await door.ask(`/${door.link.search}`, { headers: { host } });
      return { host, status, cookies: signed.headers['set-cookie'] ?? [] };
    }),
  );
  premise(own.status === 200, `the cookie opens nothing at its own host: ${String(own.status)}`);
  const names = [door, second].map(({ link }) => link.hostname);
  return heldUnless(
    [
      ...(names.every((name) => /^[0-9a-f]{16,}\.localhost$/u.test(name)) && names[0] !== names[1]
        ? []
        : [`servers share a host: ${names.join(', ')}`]),
      ...(/;\s*domain=/iu.test(given) ? [`the cookie is for more hosts: ${given}`] : []),
      ...common.flatMap(({ host, status, cookies }) => [
        ...(status === 200 ? [`it counts at ${host}`] : []),
        ...(cookies.length > 0 ? [`${host} gives one`] : []),
      ]),
    ],
    `${question} is read at ${names[0] ?? ''} alone`,
  );
}

/** Somebody who has the address of the database, and no key of it. */
async function addressAlone(world: World): Promise<Verdict> {
  if (!isInstalled()) return skipped('needs `npm run tools`');
  const { pg, startServer } = await import('../../tools/servers/server.mjs');
  const server = await startServer();
  world.keep({ close: async () => server.stop() });
  const at = (home: string): Readonly<Record<string, string>> => ({
    HITL_STORE: server.url,
    HITL_HOME: home,
  });
  const theirs = world.path('mallory');
  mkdirSync(theirs);
  const key = await world.run(['store', 'key'], { env: at(world.home) });
  premise(key.status === 0, `no key: ${key.stderr}`);
  const module = ledgerModule(world, PAY);
  const model = world.calling('pay', { to: 'mallory', amount: 5 });
  const asked = await world.run(['chat', '-m', model, '-t', module, '-p', 'go'], { env: at(world.home) });
  const hint = /hitl answer (\S+) y --digest (\S+)/u.exec(asked.stderr);
  const [, id = '', digest = ''] = hint ?? [];
  premise(id !== '', `nothing was asked: ${asked.stderr}`);
  const yes = async (home: string) => world.run(['answer', id, 'y', '--digest', digest], { env: at(home) });
  const database = new pg.Client({ connectionString: server.url }); // whoever has the address takes the mark of the key away, too
  await database.connect();
  await database.query('delete from hitl_key');
  await database.end();
  const forged = await yes(theirs);
  premise(forged.status === 0, `it was refused: ${forged.stderr}`);
  const ran = await world.run(['resume', id, '-p', '--trust'], { env: at(world.home) });
  const verdict = heldUnless(
    ledgerOf(world).length > 0 ? [`it paid by the word of the address: ${ran.stderr}`] : [],
    `answering ended with ${String(forged.status)}, resuming with ${String(ran.status)}`,
  );
  if (verdict.type === 'broken') return verdict;
  const again = /hitl answer \S+ y --digest (\S+)/u.exec(ran.stderr)?.[1] ?? digest;
  await world.run(['answer', id, 'y', '--digest', again], { env: at(world.home) });
  const paying = await world.run(['resume', id, '-p', '--trust'], { env: at(world.home) });
  premise(ledgerOf(world).length === 1, `nor does it pay by a yes with the key: ${paying.stderr}`);
  return verdict;
}

/** A key that takes its value off the page, on a telephone and in a window. */
async function offThePage(world: World): Promise<Verdict> {
  const driver = isInstalled() ? await import('../../tools/browser/chromium.mjs') : undefined;
  if (driver?.browserHere() === undefined) return skipped('needs `npm run tools` and a Chromium here');
  const module = ledgerModule(world, PAY.replace(/properties: [^]*additionalProperties: false,/u, ''));
  const hidden = 'import evil; TRANSFER()';
  await world.chat(
    world.calling('pay', { files: { [`src/${'deeply/'.repeat(20)}x.ts`]: hidden } }),
    '-t',
    module,
  );
  const door = await Door.open(world);
  const [question] = await waitingAt(door);
  premise(question !== undefined, 'nothing waits');
  const browser = world.keep(await driver.startBrowser());
  const objections: string[] = [];
  for (const width of [320, 390, 1200]) {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(door.link.href);
    await page.goto(`${door.link.origin}${placeOf(question)}`);
    const boxes = await page.evaluate(`(() => {
      const found = [...document.querySelectorAll('.lines *')].filter((one) =>
        one.children.length === 0 && one.textContent.includes(${JSON.stringify(hidden)}));
      return found.map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { left, right, width, height } = range.getBoundingClientRect();
        return width > 20 && height > 5 && left >= 0 && right <= innerWidth;
      });
    })()`);
    if (!Array.isArray(boxes) || !boxes.includes(true))
      objections.push(`at ${String(width)} the value is not in sight: ${JSON.stringify(boxes)}`);
    await context.close();
  }
  return heldUnless(objections, 'the value is in sight at every width');
}

attacks('Found in version 0.2.0: doors that several people, browsers and machines share', [
  { id: 'v2.F4', tried: 'a page of another site that signs in and out', run: otherSite },
  { id: 'v2.F11', tried: 'a click of another workspace, and of somebody without a name', run: slackClicks },
  { id: 'v2.F14', tried: 'one person under two spellings, and at two doors', run: spellings },
  { id: 'v2.F15', tried: 'a key that takes its value off the page', limitMs: 120_000, run: offThePage },
  { id: 'v2.F16', tried: 'the cookie of a server at every other port of this machine', run: otherPort },
  {
    id: 'v2.F20',
    tried: 'an approval by somebody who has the address of the database alone',
    limitMs: 120_000,
    run: addressAlone,
  },
]);
